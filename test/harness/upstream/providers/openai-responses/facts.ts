import type { ProviderFacts, ScriptedResponse } from '../../provider-facts.ts'
import { calls, greeting, newId, tokens, usage } from '../../scripted-values.ts'

export const facts: ProviderFacts = {
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
  encodeResponse,
  errorBody: (_status, message) => ({ error: { message, type: 'played', code: null } }),
  toolResults: (body) => body.input.filter((item: any) => item.type === 'function_call_output'),
}

function encodeResponse({ text, calls = [], source }: ScriptedResponse, streamed: boolean): object | object[] {
  const cited = { type: 'url_citation', ...source, start_index: 0, end_index: text?.length ?? 0 }
  const annotations = source ? [cited] : []
  const part = { type: 'output_text', text, annotations, logprobs: [] }
  const output: object[] = calls.map(({ name, input }) => {
    const id = newId('fc')
    return { id, type: 'function_call', status: 'completed', call_id: id, name, arguments: JSON.stringify(input) }
  })
  if (text !== undefined)
    output.unshift({ id: newId('msg'), type: 'message', role: 'assistant', status: 'completed', content: [part] })
  const tokens = { input_tokens: usage.in, output_tokens: usage.out, total_tokens: usage.in + usage.out }
  const whole = { id: newId('resp'), object: 'response', created_at: 1_795_000_000, model: 'played', output }
  const completed = { ...whole, status: 'completed', error: null, usage: tokens }
  if (!streamed) return completed
  const items = output.flatMap((item: any, output_index): object[] => {
    const at = { item_id: item.id, output_index }
    const done = { type: 'response.output_item.done', output_index, item }
    if (item.type === 'function_call')
      return [
        { type: 'response.output_item.added', output_index, item: { ...item, arguments: '', status: 'in_progress' } },
        { type: 'response.function_call_arguments.delta', ...at, delta: item.arguments },
        { type: 'response.function_call_arguments.done', ...at, arguments: item.arguments },
        done,
      ]
    const place = { ...at, content_index: 0 }
    return [
      { type: 'response.output_item.added', output_index, item: { ...item, content: [], status: 'in_progress' } },
      { type: 'response.content_part.added', ...place, part: { ...part, text: '', annotations: [] } },
      { type: 'response.output_text.delta', ...place, delta: text },
      ...annotations.map((annotation) => ({ type: 'response.output_text.annotation.added', ...place, annotation })),
      { type: 'response.output_text.done', ...place, text },
      { type: 'response.content_part.done', ...place, part },
      done,
    ]
  })
  const started = { ...whole, output: [], status: 'in_progress', usage: null }
  const events = [{ type: 'response.created', response: started }, ...items]
  return [...events, { type: 'response.completed', response: completed }].map((event, sequence_number) => ({
    ...event,
    sequence_number,
  }))
}
