/** The billed tokens. */
type Usage = { prompt: number; completion: number }

/** Writes the stream of a provider of one protocol, piece by piece. */
export type PacedWriter = {
  path: RegExp
  start: (id: string, usage: Usage) => string
  letters: (text: string) => string
  end: (id: string, usage: Usage) => string
}

const data = (value: object) => `data: ${JSON.stringify(value)}\n\n`
const named = (value: { type: string; [member: string]: unknown }) => `event: ${value.type}\n${data(value)}`

const chatChunk = (id: string, more: object) => data({ id, object: 'chat.completion.chunk', model: 'm', ...more })
const chat: PacedWriter = {
  path: /\/chat\/completions$/,
  start: (id) => chatChunk(id, { choices: [{ index: 0, delta: { role: 'assistant', content: '' } }] }),
  letters: (content) => chatChunk('x', { choices: [{ index: 0, delta: { content } }] }),
  end: (id, { prompt, completion }) =>
    chatChunk(id, { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }) +
    chatChunk(id, { choices: [], usage: { prompt_tokens: prompt, completion_tokens: completion } }) +
    'data: [DONE]\n\n',
}

const responseOf = (id: string, status: string, more: object = {}) => ({
  id,
  object: 'response',
  created_at: 1,
  status,
  model: 'm',
  output: [],
  ...more,
})
const responses: PacedWriter = {
  path: /\/responses$/,
  start: (id) =>
    named({ type: 'response.created', response: responseOf(id, 'in_progress') }) +
    named({
      type: 'response.output_item.added',
      output_index: 0,
      item: { type: 'message', id: 'msg', role: 'assistant', status: 'in_progress', content: [] },
    }) +
    named({
      type: 'response.content_part.added',
      item_id: 'msg',
      output_index: 0,
      content_index: 0,
      part: { type: 'output_text', text: '', annotations: [] },
    }),
  letters: (delta) =>
    named({ type: 'response.output_text.delta', item_id: 'msg', output_index: 0, content_index: 0, delta }),
  end: (id, { prompt, completion }) =>
    named({
      type: 'response.completed',
      response: responseOf(id, 'completed', {
        usage: { input_tokens: prompt, output_tokens: completion, total_tokens: prompt + completion },
      }),
    }),
}

const messages: PacedWriter = {
  path: /\/messages$/,
  start: (id, { prompt }) =>
    named({
      type: 'message_start',
      message: {
        id,
        type: 'message',
        role: 'assistant',
        model: 'm',
        content: [],
        stop_reason: null,
        usage: { input_tokens: prompt, output_tokens: 1 },
      },
    }) + named({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
  letters: (text) => named({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }),
  end: (_id, { completion }) =>
    named({ type: 'content_block_stop', index: 0 }) +
    named({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: completion } }) +
    named({ type: 'message_stop' }),
}

const gemini: PacedWriter = {
  path: /:streamGenerateContent/,
  start: () => '',
  letters: (text) => data({ candidates: [{ index: 0, content: { role: 'model', parts: [{ text }] } }] }),
  end: (_id, { prompt, completion }) =>
    data({
      candidates: [{ index: 0, content: { role: 'model', parts: [{ text: '' }] }, finishReason: 'STOP' }],
      usageMetadata: {
        promptTokenCount: prompt,
        candidatesTokenCount: completion,
        totalTokenCount: prompt + completion,
      },
    }),
}

export const pacedProtocols = {
  'openai-chat': chat,
  'openai-responses': responses,
  'anthropic-messages': messages,
  'google-gemini': gemini,
} as const
