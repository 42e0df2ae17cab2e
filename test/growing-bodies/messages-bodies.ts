import { email, fields, type GrowingBody, times, user } from './pieces.ts'

const turn = (messages: unknown[], more: object = {}): Record<string, unknown> => ({
  messages,
  max_tokens: 10,
  ...more,
})

export const messagesBodies: Record<string, GrowingBody> = {
  turns: (n) => turn(times(n, (i) => ({ role: i % 2 ? 'assistant' : 'user', content: 'a' }))),
  'turns of an assistant': (n) => turn([user(), ...times(n, () => ({ role: 'assistant', content: 'a' })), user()]),
  blocks: (n) => turn([user(times(n, () => ({ type: 'text', text: 'a' })))]),
  'blocks of an assistant': (n) =>
    turn([user(), { role: 'assistant', content: times(n, () => ({ type: 'text', text: 'a' })) }, user()]),
  'tool uses': (n) =>
    turn([
      user(),
      { role: 'assistant', content: times(n, (i) => ({ type: 'tool_use', id: `c${i}`, name: 'f', input: {} })) },
    ]),
  'tool uses and results with one id': (n) =>
    turn([
      user(),
      { role: 'assistant', content: times(n, () => ({ type: 'tool_use', id: 'c', name: 'f', input: {} })) },
      user(times(n, () => ({ type: 'tool_result', tool_use_id: 'c', content: 'a' }))),
    ]),
  'system messages before the first turn': (n) => turn([...times(n, () => ({ role: 'system', content: 'a' })), user()]),
  'system messages after a turn': (n) => turn([user(), ...times(n, () => ({ role: 'system', content: 'a' }))]),
  'tool results': (n) =>
    turn([user(), user(times(n, (i) => ({ type: 'tool_result', tool_use_id: `c${i}`, content: 'a' })))]),
  'parts of a result': (n) =>
    turn([user([{ type: 'tool_result', tool_use_id: 'c', content: times(n, () => ({ type: 'text', text: 'a' })) }])]),
  'thoughts of an assistant': (n) =>
    turn([
      user(),
      { role: 'assistant', content: times(n, () => ({ type: 'thinking', thinking: 'a', signature: 'x' })) },
      user(),
    ]),
  'system blocks': (n) => turn([user()], { system: times(n, () => ({ type: 'text', text: 'a' })) }),
  'tools with schemas': (n) =>
    turn([user()], { tools: times(n, (i) => ({ name: `f${i}`, input_schema: { type: 'object' } })) }),
  'an input with matching names': (n) =>
    turn([
      user(),
      { role: 'assistant', content: [{ type: 'tool_use', id: 'c', name: 'f', input: fields(n, email, (i) => i) }] },
    ]),
  'an input of numbers': (n) =>
    turn([
      user(),
      { role: 'assistant', content: [{ type: 'tool_use', id: 'c', name: 'f', input: { a: times(n, (i) => i) } }] },
    ]),
  'compacted conversations': (n) =>
    turn([user(), { role: 'assistant', content: times(n, () => ({ type: 'compaction', content: 'a' })) }]),
}
