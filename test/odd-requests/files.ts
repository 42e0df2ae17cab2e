import type { OddRequest } from './requests.ts'

const [chat, responses, anthropic, gemini] = ['openai-chat', 'openai-responses', 'anthropic-messages', 'google-gemini']
const user = (content: unknown) => ({ role: 'user', content })
const url = 'https://example.com/a.pdf'
const spoken = (audio: object) => ({
  messages: [user('Hi'), { role: 'assistant', content: null, audio }, user('?')],
})
const source = { type: 'url', url }

/** Files by their address, and speech of earlier responses. */
export const fileChats: OddRequest[] = [
  ...[
    { type: 'file', file: { file_url: url } },
    { type: 'file_url', file_url: { url } },
    { type: 'file_url', file_url: url },
  ].map((part) => ({
    name: `the file ${JSON.stringify(part)}`,
    body: { messages: [user([part])] },
    sent: {
      [chat!]: { 'messages.0.content.0': part },
      [responses!]: { 'input.0.content.0': { type: 'input_file', file_url: url } },
      [anthropic!]: { 'messages.0.content.0': { type: 'document', source } },
      [gemini!]: { 'contents.0.parts.0.fileData': { mimeType: 'application/pdf', fileUri: url } },
    },
  })),
  {
    name: 'the words of earlier speech',
    body: spoken({ id: 'audio_1', data: 'AAAA', transcript: 'Ciao', expires_at: 1 }),
    sent: {
      mistral: { 'messages.1': { role: 'assistant', content: 'Ciao' } },
      [responses!]: { 'input.1': { type: 'message', role: 'assistant', content: 'Ciao' } },
      [anthropic!]: { 'messages.1': { role: 'assistant', content: [{ type: 'text', text: 'Ciao' }] } },
      [gemini!]: { 'contents.1': { role: 'model', parts: [{ text: 'Ciao' }] } },
    },
  },
  {
    name: 'the id of earlier speech',
    body: spoken({ id: 'audio_1' }),
    sent: {
      openai: { 'messages.1.audio': { id: 'audio_1' } },
      [responses!]: {},
      [anthropic!]: {},
      [gemini!]: {},
      mistral: {},
    },
    dropped: Object.fromEntries(
      [responses, anthropic, gemini, 'mistral'].map((server) => [server!, ['messages.audio']]),
    ),
  },
]

const pdf = { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0xLjQK' }
const file = { file_data: `data:application/pdf;base64,${pdf.data}`, filename: 'a.pdf' }

export const fileMessages: OddRequest[] = [
  {
    name: 'the context of a document',
    body: { messages: [user([{ type: 'document', title: 'a.pdf', context: 'A bill.', source: pdf }])] },
    sent: {
      [chat!]: {
        'messages.0.content': [
          { type: 'text', text: 'A bill.' },
          { type: 'file', file },
        ],
      },
      [gemini!]: { 'contents.0.parts.0': { text: 'A bill.' } },
      [anthropic!]: { 'messages.0.content.0.context': 'A bill.' },
    },
  },
]
