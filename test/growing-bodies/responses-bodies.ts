import { email, fields, type GrowingBody, times, user } from './pieces.ts'

const item = (input: unknown[], more: object = {}): Record<string, unknown> => ({ input, ...more })

export const responsesBodies: Record<string, GrowingBody> = {
  'messages of a user': (n) => item(times(n, () => user())),
  'messages of an assistant': (n) => item([user(), ...times(n, () => ({ role: 'assistant', content: 'a' }))]),
  'parts of an assistant': (n) =>
    item([user(), { role: 'assistant', content: times(n, () => ({ type: 'output_text', text: 'a' })) }]),
  'function calls': (n) =>
    item([user(), ...times(n, (i) => ({ type: 'function_call', call_id: `c${i}`, name: 'f', arguments: '{}' }))]),
  'custom calls': (n) =>
    item([user(), ...times(n, (i) => ({ type: 'custom_tool_call', call_id: `c${i}`, name: 'f', input: 'a' }))]),
  'calls of provider tools': (n) => item([user(), ...times(n, (i) => ({ type: 'web_search_call', call_id: `c${i}` }))]),
  'outputs of calls': (n) =>
    item([user(), ...times(n, (i) => ({ type: 'function_call_output', call_id: `c${i}`, output: 'a' }))]),
  'calls and outputs': (n) =>
    item([
      user(),
      ...times(n, (i) =>
        i % 2
          ? { type: 'function_call_output', call_id: `c${i - 1}`, output: 'a' }
          : { type: 'function_call', call_id: `c${i}`, name: 'f', arguments: '{}' },
      ),
    ]),
  thoughts: (n) =>
    item([user(), ...times(n, (i) => ({ type: 'reasoning', id: `r${i}`, summary: [], encrypted_content: 'x' }))]),
  'summaries of a thought': (n) =>
    item([
      user(),
      {
        type: 'reasoning',
        id: 'r',
        summary: times(n, () => ({ type: 'summary_text', text: 'a' })),
        encrypted_content: 'x',
      },
    ]),
  'function tools': (n) =>
    item([user()], { tools: times(n, (i) => ({ type: 'function', name: `f${i}`, parameters: {} })) }),
  'tools of a namespace': (n) =>
    item([user()], {
      tools: [{ type: 'namespace', name: 'n', tools: times(n, (i) => ({ type: 'function', name: `f${i}` })) }],
    }),
  'matching metadata': (n) =>
    item([user()], { metadata: fields(Math.min(n, 16), email, email), variables: fields(n, email, email) }),
}
