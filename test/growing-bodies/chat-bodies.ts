import { email, fields, type GrowingBody, times, user } from './pieces.ts'

const nested = (depth: number): object => JSON.parse(`${'{"a":['.repeat(depth)}${']}'.repeat(depth)}`)

const chat = (messages: unknown[], more: object = {}): Record<string, unknown> => ({ messages, ...more })
const called = (id: string, args: string) => ({ id, type: 'function', function: { name: 'f', arguments: args } })
const call = (args: string) => [
  user(),
  { role: 'assistant', content: null, tool_calls: [called('a', args)] },
  { role: 'tool', tool_call_id: 'a', content: 'ok' },
]
export const chatBodies: Record<string, GrowingBody> = {
  'users in a row': (n) => chat(times(n, () => user())),
  'assistants in a row': (n) => chat([user(), ...times(n, () => ({ role: 'assistant', content: 'a' })), user()]),
  'users and assistants': (n) => chat(times(n, (i) => ({ role: i % 2 ? 'assistant' : 'user', content: 'a' }))),
  'system messages': (n) => chat([...times(n, () => ({ role: 'system', content: 'a' })), user()]),
  'text parts': (n) => chat([user(times(n, () => ({ type: 'text', text: 'a' })))]),
  'text parts of an assistant': (n) =>
    chat([user(), { role: 'assistant', content: times(n, () => ({ type: 'text', text: 'a' })) }, user()]),
  images: (n) =>
    chat([user(times(n, () => ({ type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } })))]),
  'parts of unknown types': (n) => chat([user(times(n, (i) => ({ type: `x${i}` })))]),
  'calls of one message': (n) =>
    chat([user(), { role: 'assistant', content: null, tool_calls: times(n, (i) => called(`c${i}`, '{}')) }]),
  'calls and results with one id': (n) =>
    chat([
      user(),
      { role: 'assistant', content: null, tool_calls: times(n, () => called('a', '{}')) },
      ...times(n, () => ({ role: 'tool', tool_call_id: 'a', content: 'ok' })),
    ]),
  'calls with thoughts': (n) =>
    chat([
      user(),
      {
        role: 'assistant',
        content: null,
        tool_calls: times(n, (i) => called(`c${i}`, '{}')),
        reasoning_details: times(n, (i) => ({
          type: 'reasoning.encrypted',
          data: 'x',
          id: `native:c${n + i}`,
          format: 'google-gemini-v1',
        })),
      },
      user(),
    ]),
  'pieces of thoughts': (n) =>
    chat([
      user(),
      {
        role: 'assistant',
        content: 'a',
        reasoning_details: times(n, () => ({ type: 'reasoning.text', text: 'hm', format: 'x' })),
      },
    ]),
  'unsigned thoughts': (n) =>
    chat([
      user(),
      {
        role: 'assistant',
        content: 'a',
        reasoning_details: times(n, () => ({ type: 'reasoning.text', text: 'hm', field: 'reasoning', by: 'm' })),
      },
    ]),
  'results of tools': (n) =>
    chat([
      user(),
      { role: 'assistant', content: null, tool_calls: [called('a', '{}')] },
      ...times(n, () => ({ role: 'tool', tool_call_id: 'a', content: '{"a":1}' })),
    ]),
  tools: (n) =>
    chat([user()], {
      tools: times(n, (i) => ({ type: 'function', function: { name: `f${i}`, parameters: { type: 'object' } } })),
    }),
  'tools of unknown types': (n) =>
    chat([user()], { tools: times(n, (i) => ({ type: `web_search_${i}`, max_uses: 1 })) }),
  'a schema with properties': (n) =>
    chat([user()], {
      tools: [
        {
          type: 'function',
          function: {
            name: 'f',
            parameters: {
              type: 'object',
              properties: fields(
                n,
                (i) => `p${i}`,
                () => ({ type: 'string' }),
              ),
              required: times(n, (i) => `p${i}`),
            },
          },
        },
      ],
    }),
  'a schema with matching properties': (n) =>
    chat([user()], {
      tools: [
        {
          type: 'function',
          function: {
            name: 'f',
            parameters: { type: 'object', properties: fields(n, email, () => ({ type: 'string' })) },
          },
        },
      ],
    }),
  'a response schema': (n) =>
    chat([user()], {
      response_format: {
        type: 'json_schema',
        json_schema: {
          name: 's',
          schema: {
            type: 'object',
            properties: fields(
              n,
              (i) => `p${i}`,
              () => ({ type: 'string' }),
            ),
          },
        },
      },
    }),
  'a schema of alternatives': (n) =>
    chat([user()], {
      tools: [
        {
          type: 'function',
          function: { name: 'f', parameters: { anyOf: times(n, () => ({ type: 'string', minLength: 1 })) } },
        },
      ],
    }),
  'arguments with matching names': (n) => chat(call(JSON.stringify(fields(n, email, (i) => i)))),
  'arguments with matching values': (n) => chat(call(JSON.stringify(fields(n, (i) => `p${i}`, email)))),
  'arguments with numbers': (n) => chat(call(JSON.stringify(times(n, (i) => i)))),
  'arguments that are broken JSON': (n) => chat(call(`${JSON.stringify(fields(n, (i) => `p${i}`, email))},`)),
  'arguments with one long text': (n) => chat(call(JSON.stringify({ a: 'word '.repeat(n) }))),
  'arguments with escapes': (n) => chat(call(JSON.stringify({ a: '"\\\n'.repeat(n) }))),
  'JSON in arguments': (n) => chat(call(JSON.stringify({ a: JSON.stringify({ b: JSON.stringify(times(n, email)) }) }))),
  'a long text': (n) => chat([user('Hello there. '.repeat(n))]),
  'a text of matches': (n) => chat([user(times(n, email).join(' '))]),
  'a text of line breaks': (n) => chat([user('\n'.repeat(n))]),
  'a text of quotes': (n) => chat([user('"'.repeat(n))]),
  'a text of digits': (n) => chat([user('4111 '.repeat(n))]),
  'a text of capitals': (n) => chat([user('John '.repeat(n))]),
  'unknown fields': (n) =>
    chat(
      [user()],
      fields(
        n,
        (i) => `field_${i}`,
        () => 'a',
      ),
    ),
  'names with escapes': (n) =>
    chat(
      [user()],
      fields(
        n,
        (i) => `\u0001${i}`,
        () => 'a',
      ),
    ),
  'stop sequences': (n) => chat([user()], { stop: times(n, () => 'x') }),
  models: (n) => chat([user()], { models: times(n, (i) => `m/${i}`) }),
  providers: (n) => chat([user()], { provider: { only: times(n, (i) => `p${i}`), order: times(n, (i) => `p${i}`) } }),
  'deep nesting': (n) => chat(times(n, () => ({ role: 'user', content: [{ type: 'x', deep: nested(300) }] }))),
  'logit bias': (n) => chat([user()], { logit_bias: fields(n, String, () => 1) }),
}
