import type { ProviderFacts, ScriptedResponse } from '../../provider-facts.ts'
import { greeting, newId, oslo, rome, tokens, usage } from '../../scripted-values.ts'

const format = 'google-gemini-v1' as const
const geminiCalls = [`gemini_rZcM_0 ${rome}`, `gemini_rZcM_1 ${oslo}`]
const candidates = [{ content: { parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }]

// Google's client builds the request itself. Names of an enumeration go as text.
const describedByGoogle = `import type * as google from '@google/genai'
type Plain<T> = T extends string ? \`\${T}\` : T extends object ? { [Name in keyof T]: Plain<T[Name]> } : T
type Config = Omit<google.GenerateContentConfig, 'tools' | 'toolConfig' | 'systemInstruction' | 'safetySettings' | 'httpOptions' | 'abortSignal'>
type Described = {
  contents: Plain<google.Content>[]
  systemInstruction?: Plain<google.Content>
  tools?: Plain<google.Tool>[]
  toolConfig?: Plain<google.ToolConfig>
  safetySettings?: Plain<google.SafetySetting>[]
  generationConfig?: Plain<Config>
}`

export const facts: ProviderFacts = {
  path: /\/models\//,
  model: 'gemini-3-flash-preview',
  described: describedByGoogle,
  counting: (promptTokenCount, candidatesTokenCount, cachedContentTokenCount) => ({
    candidates,
    usageMetadata: { promptTokenCount, candidatesTokenCount, cachedContentTokenCount },
  }),
  recorded: {
    'text.sse text.json': { ...greeting, finish: 'stop (STOP)', tokens },
    'parallel-tools.sse parallel-tools.json': { calls: geminiCalls, finish: 'tool_calls (STOP)', tokens },
    'thinking-tools.sse thinking-tools.json': {
      reasoning: 'Hmm, so.',
      text: 'I look.',
      marks: [{ format, encrypted: 'CikB-signed', id: 'gemini_rZcM_0' }],
      calls: geminiCalls,
      finish: 'tool_calls (STOP)',
      tokens,
    },
    'signed-text.sse': {
      text: 'Yes.',
      reasoning: '',
      marks: [{ format, encrypted: 'CikB-text' }],
      finish: 'stop (STOP)',
      tokens,
    },
    'safety.sse': { text: 'Well', finish: 'content_filter (SAFETY)', tokens },
    'blocked.sse': {
      finish: 'content_filter (PROHIBITED_CONTENT)',
      tokens: { ...tokens, completion: 0, cached: 0, reasoning: 0 },
    },
    'malformed.sse': { error: "502: the model's response was unusable: MALFORMED_FUNCTION_CALL" },
    'error.sse': { text: 'Once', error: '503: The model is overloaded. Please try again later.' },
  },
  encodeResponse,
  errorBody: (status, message) => ({ error: { code: status, message, status: 'PLAYED' } }),
  toolResults: (body) =>
    body.contents.flatMap((content: any) => content.parts).filter((part: any) => part.functionResponse),
}

function encodeResponse({ text, calls = [], source }: ScriptedResponse, streamed: boolean): object | object[] {
  const parts = [
    ...(text === undefined ? [] : [{ text }]),
    ...calls.map(({ name, input }) => ({ functionCall: { name, args: input } })),
  ]
  const groundingMetadata = source && {
    groundingChunks: [{ web: { uri: source.url, title: source.title } }],
    groundingSupports: [
      { segment: { startIndex: 0, endIndex: Buffer.byteLength(text ?? '') }, groundingChunkIndices: [0] },
    ],
  }
  const candidate = {
    content: { role: 'model', parts },
    finishReason: 'STOP',
    index: 0,
    ...(source && { groundingMetadata }),
  }
  const usageMetadata = {
    promptTokenCount: usage.in,
    candidatesTokenCount: usage.out,
    totalTokenCount: usage.in + usage.out,
  }
  const whole = { candidates: [candidate], usageMetadata, modelVersion: 'played', responseId: newId('g') }
  return streamed ? [whole] : whole
}
