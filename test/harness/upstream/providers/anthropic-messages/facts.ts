import type { ProviderFacts, ScriptedResponse } from '../../provider-facts.ts'
import { greeting, newId, oslo, rome, tokens, usage } from '../../scripted-values.ts'

const anthropicTokens = { ...tokens, cacheWritten: 2, reasoning: 0 }
const format = 'anthropic-claude-v1' as const
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

export const facts: ProviderFacts = {
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
  encodeResponse,
  errorBody: (_status, message) => ({ type: 'error', error: { type: 'played_error', message } }),
  toolResults: (body) =>
    body.messages
      .flatMap((message: any) => (Array.isArray(message.content) ? message.content : []))
      .filter((part: any) => part.type === 'tool_result'),
}

function encodeResponse({ text, calls = [], source }: ScriptedResponse, streamed: boolean): object | object[] {
  const citation = { type: 'web_search_result_location', ...source, cited_text: 'quoted', encrypted_index: 'e' }
  const content: object[] = calls.map(({ name, input }) => ({ type: 'tool_use', id: newId('toolu'), name, input }))
  if (text !== undefined) content.unshift({ type: 'text', text, ...(source && { citations: [citation] }) })
  const stop_reason = calls.length > 0 ? 'tool_use' : 'end_turn'
  const head = { id: newId('msg'), type: 'message', role: 'assistant', model: 'played' }
  const tokens = { input_tokens: usage.in, output_tokens: usage.out }
  if (!streamed) return { ...head, content, stop_reason, stop_sequence: null, usage: tokens }
  const blocks = content.flatMap((block: any, index): object[] => {
    const isText = block.type === 'text'
    const empty = isText ? { type: 'text', text: '' } : { ...block, input: {} }
    const delta = isText
      ? { type: 'text_delta', text: block.text }
      : { type: 'input_json_delta', partial_json: JSON.stringify(block.input) }
    return [
      { type: 'content_block_start', index, content_block: empty },
      ...(isText && source
        ? [{ type: 'content_block_delta', index, delta: { type: 'citations_delta', citation } }]
        : []),
      { type: 'content_block_delta', index, delta },
      { type: 'content_block_stop', index },
    ]
  })
  const started = { ...head, content: [], stop_reason: null, stop_sequence: null }
  return [
    { type: 'message_start', message: { ...started, usage: { ...tokens, output_tokens: 1 } } },
    ...blocks,
    { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: usage.out } },
    { type: 'message_stop' },
  ]
}
