import type { Protocol } from '#platform/core/vocabulary.ts'
import type { Gist } from './recorded-answers.ts'

export type UpstreamProtocol = Exclude<Protocol, 'demo'>

/**
 * The facts about a provider's protocol that the tests need. A new protocol is an entry in this table, and its recorded
 * answers.
 */
export type ProviderFacts = {
  /** The path of its requests. */
  path: RegExp
  /** A model of its providers that reasons. */
  model: string
  /** The published description of its requests: TypeScript that declares the type `Described`. */
  described: string
  /** A whole answer that reports these counts of the prompt, the answer, and the cached part. */
  counting: (prompt: unknown, completion: unknown, cached?: unknown) => object
  /** The content of each recorded answer in `providers/fixtures/`. One entry may stand for two forms of an answer. */
  recorded: Record<string, Gist>
}

const tokens = { prompt: 19, completion: 10, cached: 8, cacheWritten: 0, reasoning: 4 }
const anthropicTokens = { ...tokens, cacheWritten: 2, reasoning: 0 }
const greeting = { text: 'Grüß Gott 🚂' }
const rome = 'weather {"city":"Rome"}'
const oslo = 'weather {"city":"Oslo"}'
const calls = [`call_A ${rome}`, `call_B ${oslo}`]
const format = 'anthropic-claude-v1' as const
const google = 'google-gemini-v1' as const
const thinking = {
  reasoning: 'Hmm, so.',
  text: 'I look.',
  marks: [
    { format, signature: 'EqQBCgIYAhIM-signed' },
    { format, encrypted: 'EmwKAhgB-redacted' },
  ],
  calls: [`toolu_A ${rome}`],
  finish: 'tool_calls (tool_use)',
  tokens: anthropicTokens,
}
const geminiCalls = [`gemini_rZcM_0 ${rome}`, `gemini_rZcM_1 ${oslo}`]

const choices = [{ message: { content: 'Hi' }, finish_reason: 'stop' }]
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

export const providerFacts: Record<UpstreamProtocol, ProviderFacts> = {
  'openai-chat': {
    path: /\/chat\/completions$/,
    model: 'gpt-5.2',
    described: `import type { ChatCompletionCreateParams as Described } from 'openai/resources/chat/completions'`,
    counting: (prompt_tokens, completion_tokens, cached_tokens) => ({
      choices,
      usage: { prompt_tokens, completion_tokens, prompt_tokens_details: { cached_tokens } },
    }),
    recorded: {
      'text.sse text.json': { ...greeting, finish: 'stop (stop)', tokens },
      'parallel-tools.sse parallel-tools.json': { calls, finish: 'tool_calls (tool_calls)', tokens },
      'reasoning.sse': { reasoning: 'Hmm, so.', text: 'Yes.', finish: 'stop (stop)', tokens },
      'refusal.sse': { refusal: "I'm sorry, no.", finish: 'stop (stop)', tokens },
      'error.sse': { text: 'Once', error: '500: The server had an error while processing your request' },
    },
  },
  'openai-responses': {
    path: /\/responses$/,
    model: 'gpt-5.2',
    described: `import type { ResponseCreateParams as Described } from 'openai/resources/responses/responses'`,
    counting: (input_tokens, output_tokens, cached_tokens) => ({
      output: [],
      usage: { input_tokens, output_tokens, input_tokens_details: { cached_tokens } },
    }),
    recorded: {
      'text.sse text.json': { ...greeting, finish: 'stop (completed)', tokens },
      'parallel-tools.sse parallel-tools.json': { calls, finish: 'tool_calls (completed)', tokens },
      'reasoning.sse reasoning.json': {
        reasoning: 'Hmm, so.\n\nThen this.',
        text: 'Yes.',
        marks: [{ format: 'openai-responses-v1', encrypted: 'gAAAAAB-opaque', id: 'rs_1' }],
        finish: 'stop (completed)',
        tokens,
      },
      'refusal.sse': { refusal: "I'm sorry, no.", finish: 'stop (completed)', tokens },
      'incomplete.sse': { text: 'Once upon', finish: 'length (max_output_tokens)', tokens },
      'error.sse': { text: 'Grüß', error: '500: The server had an error while processing your request' },
    },
  },
  'anthropic-messages': {
    path: /\/messages$/,
    model: 'claude-sonnet-4-5',
    described: `import type { MessageCreateParams as Described } from '@anthropic-ai/sdk/resources/messages'`,
    counting: (input_tokens, output_tokens) => ({ content: [], usage: { input_tokens, output_tokens } }),
    recorded: {
      'text.sse text.json': { ...greeting, finish: 'stop (end_turn)', tokens: anthropicTokens },
      'parallel-tools.sse parallel-tools.json': {
        text: 'I look.',
        calls: [`toolu_A ${rome}`, `toolu_B ${oslo}`],
        finish: 'tool_calls (tool_use)',
        tokens: anthropicTokens,
      },
      'thinking-tools.sse thinking-tools.json': thinking,
      'refusal.sse': { text: 'No', finish: 'content_filter (refusal)', tokens: anthropicTokens },
      'max-tokens.sse': { text: 'Once', finish: 'length (max_tokens)', tokens: anthropicTokens },
      'error.sse': { text: 'Once', error: '529: Overloaded' },
    },
  },
  'google-gemini': {
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
        marks: [{ format: google, encrypted: 'CikB-signed', id: 'gemini_rZcM_0' }],
        calls: geminiCalls,
        finish: 'tool_calls (STOP)',
        tokens,
      },
      'signed-text.sse': {
        text: 'Yes.',
        reasoning: '',
        marks: [{ format: google, encrypted: 'CikB-text' }],
        finish: 'stop (STOP)',
        tokens,
      },
      'safety.sse': { text: 'Well', finish: 'content_filter (SAFETY)', tokens },
      'blocked.sse': {
        finish: 'content_filter (PROHIBITED_CONTENT)',
        tokens: { ...tokens, completion: 0, cached: 0, reasoning: 0 },
      },
      'malformed.sse': { error: "502: the model's answer was unusable: MALFORMED_FUNCTION_CALL" },
      'error.sse': { text: 'Once', error: '503: The model is overloaded. Please try again later.' },
    },
  },
}
