import { fields, type GrowingBody, times, user } from './pieces.ts'

const called = (id: string, args: string) => ({ id, type: 'function', function: { name: 'f', arguments: args } })
const call = (args: string, result = 'ok', id = 'a') => [
  { role: 'assistant', content: null, tool_calls: [called(id, args)] },
  { role: 'tool', tool_call_id: id, content: result },
]
const chat = (messages: unknown[]) => ({ messages: [user(), ...messages] })

/** Chat bodies with JSON of many parts within their texts. */
export const argumentBodies: Record<string, GrowingBody> = {
  'arguments of objects': (n) => chat(call(`{"a":[${'{},'.repeat(n)}1]}`)),
  'arguments of nested lists': (n) => chat(call(`{"a":[${'[[1]],'.repeat(n)}1]}`)),
  'arguments of members': (n) => {
    const members = fields(
      n,
      (i) => `${i.toString(36)}x`,
      () => 1,
    )
    return chat(call(JSON.stringify(members)))
  },
  'arguments of many calls': (n) =>
    chat(times(n / 100, (i) => call(`{"a":[${'{"b":1},'.repeat(100)}1]}`, `[${'{},'.repeat(100)}1]`, `c${i}`)).flat()),
  'a result of objects': (n) => chat(call('{}', `[${'{},'.repeat(n)}1]`)),
}
