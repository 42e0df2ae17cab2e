import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { simulatedProtocols } from '../harness/upstream/provider-facts.ts'
import { type RecordedProviders, startWithUpstream } from '../harness/upstream/recorded-providers.ts'
import { firstTool, strictResponse } from '../harness/upstream/strict-upstreams.ts'

type Row = { it: string; path: string; body: object; to?: string[]; dropped?: string; sent?: (body: any) => unknown }

const user = (content: unknown = 'Hi') => ({ role: 'user', content })
const chat = (body: object) => ({ path: '/chat/completions', body: { messages: [user()], ...body } })
const messages = (body: object) => ({ path: '/messages', body: { max_tokens: 2000, messages: [user()], ...body } })
const responses = (body: object) => ({ path: '/responses', body: { input: 'Hi', ...body } })
const tool = (parameters: unknown, name = 'f') => ({ type: 'function', function: { name, parameters } })
const toAnthropic = { to: ['anthropic-messages'] }
const schema = (properties: object) => ({
  response_format: {
    type: 'json_schema',
    json_schema: { name: 'x', schema: { type: 'object', properties, required: Object.keys(properties) } },
  },
})
const jpg = 'data:image/jpg;base64,/9j/4AAQ'
const calling = (id: string, result: unknown) => [
  user(),
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ id, type: 'function', function: { name: 'f', arguments: '{}' } }],
  },
  { role: 'tool', tool_call_id: id, content: result },
]
const pixel = { type: 'image', source: { type: 'base64', media_type: 'image/JPG', data: '/9j/4AAQ' } }

const rows: Row[] = [
  { it: 'a blank system prompt', ...chat({ messages: [{ role: 'system', content: '   ' }, user()] }) },
  {
    it: 'a blank system prompt of the same protocol',
    ...messages({ system: ' \n' }),
    dropped: 'system',
    ...toAnthropic,
  },
  {
    it: 'blank texts of a responses client',
    ...responses({
      input: [
        user([
          { type: 'input_text', text: ' ' },
          { type: 'input_text', text: 'Hi' },
        ]),
      ],
    }),
  },
  {
    it: 'a blank message of the same protocol',
    ...messages({ messages: [user(), { role: 'assistant', content: [{ type: 'text', text: '\n' }] }, user('Go')] }),
    ...toAnthropic,
    dropped: 'messages.content',
  },
  {
    it: 'a message without parts',
    ...chat({ messages: [user(), { role: 'assistant', content: [] }, user('Go')] }),
  },
  {
    it: 'the start of a response that ends with a space',
    ...chat({ messages: [user(), { role: 'assistant', content: 'Sure: ' }] }),
    ...toAnthropic,
    sent: ({ messages }) => assert.equal(messages[1].content[0].text, 'Sure:'),
  },
  {
    it: 'a stop sequence of white space beside another',
    ...chat({ stop: ['\n', 'END'] }),
    ...toAnthropic,
    dropped: 'stop',
    sent: ({ stop_sequences }) => assert.deepEqual(stop_sequences, ['END']),
  },
  { it: 'an empty stop sequence', ...chat({ stop: ['', 'END'] }), dropped: 'stop' },
  { it: 'an empty stop sequence alone', ...chat({ stop: '' }), dropped: 'stop' },
  {
    it: 'two tools with one name',
    ...chat({ tools: [tool({ type: 'object', properties: {} }), tool({ type: 'object', properties: {} })] }),
    dropped: 'tools.f',
  },
  {
    it: 'calls of tools that the request does not declare',
    ...messages({
      messages: [
        user(),
        { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input: {} }] },
        user([{ type: 'tool_result', tool_use_id: 'a', content: 'ok' }]),
      ],
    }),
    ...toAnthropic,
    sent: ({ tools, tool_choice }) => assert.deepEqual([tools[0].name, tool_choice], ['f', { type: 'none' }]),
  },
  {
    it: 'an image with the media type of another',
    ...chat({
      messages: [user([{ type: 'image_url', image_url: { url: 'data:image/jpeg;base64,iVBORw0KGgoAAAANSUhEUgAA' } }])],
    }),
    sent: (body) => assert.match(JSON.stringify(body), /image\/png/),
  },
  {
    it: 'a response format without a name',
    ...chat({ response_format: { type: 'json_schema', json_schema: { schema: { type: 'object', properties: {} } } } }),
  },
  { it: 'a call without a result', ...chat({ messages: [...calling('a', 'ok').slice(0, 2), user('Go')] }) },
  { it: 'a call at the end', ...chat({ messages: calling('a', 'ok').slice(0, 2) }) },
  { it: 'a result without a call', ...chat({ messages: [user(), calling('a', 'ok')[2], user('Go')] }) },
  { it: 'two results of one call', ...chat({ messages: [...calling('a', 'ok'), calling('a', 'again')[2]] }) },
  {
    it: 'a message between a call and its result',
    ...chat({ messages: [...calling('a', 'ok').slice(0, 2), user('Wait'), calling('a', 'ok')[2]] }),
  },
  {
    it: 'an output without a call of a responses client',
    ...responses({ input: [{ type: 'function_call_output', call_id: 'a', output: 'ok' }, user('Go')] }),
  },
  {
    it: 'a call without an output of a responses client',
    ...responses({
      input: [user(), { type: 'function_call', call_id: 'a', name: 'f', arguments: '{}' }, user('Go')],
    }),
  },
  { it: 'a stop sequence of white space', ...chat({ stop: '\n' }), ...toAnthropic, dropped: 'stop' },
  {
    it: 'bounds in the schema of a response',
    ...chat(
      schema({
        n: { type: 'integer', minimum: 1, maximum: 5 },
        s: { type: 'string', minLength: 2 },
        l: { type: 'array', items: {}, maxItems: 3 },
      }),
    ),
    ...toAnthropic,
    dropped: 'response_format.minimum, response_format.maximum, response_format.minLength, response_format.maxItems',
    sent: ({ output_config: { format } }) =>
      assert.deepEqual(format.schema.properties.n, { type: 'integer', description: '{minimum: 1, maximum: 5}' }),
  },
  { it: 'a tool with empty parameters', ...chat({ tools: [tool({})] }) },
  { it: 'a tool whose parameters have no properties', ...chat({ tools: [tool({ type: 'object' })] }) },
  { it: 'a tool of the same protocol without properties', ...messages({ tools: [{ name: 'f', input_schema: {} }] }) },
  {
    it: 'a tool of a responses client without properties',
    ...responses({ tools: [{ type: 'function', name: 'f', parameters: { type: 'object' } }] }),
  },
  {
    it: 'a union at the root of a schema',
    ...chat({
      tools: [
        tool({
          anyOf: [
            { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
            { type: 'object', properties: { b: { type: 'string' } }, required: ['b'] },
          ],
        }),
      ],
    }),
    dropped: 'tools.f.anyOf',
    sent: (body) => assert.match(JSON.stringify(body), /"a":\{"type":"string"\},"b":\{"type":"string"\}/),
  },
  {
    it: 'a schema that refers to its definitions',
    ...chat({
      tools: [
        tool({
          $ref: '#/$defs/A',
          $defs: { A: { type: 'object', properties: { a: { $ref: '#/$defs/B' } } }, B: { type: 'string' } },
        }),
      ],
    }),
  },
  {
    it: 'a schema that refers to itself',
    ...chat({
      tools: [
        tool({
          type: 'object',
          properties: { next: { $ref: '#/$defs/N' } },
          $defs: { N: { type: 'object', properties: { next: { $ref: '#/$defs/N' } } } },
        }),
      ],
    }),
  },
  {
    it: 'booleans for schemas, arrays without items and words of older drafts',
    ...chat({
      tools: [
        tool({
          $schema: 'http://json-schema.org/draft-04/schema#',
          type: 'object',
          properties: {
            any: true,
            none: false,
            list: { type: 'array' },
            pair: { type: 'array', items: [{ type: 'string' }, { type: 'number' }] },
            n: { type: 'number', minimum: 0, exclusiveMinimum: true, required: true },
          },
        }),
      ],
    }),
  },
  {
    it: 'types of Python and of Gemini, lists of types without items, and types that JSON Schema lacks',
    ...chat({
      tools: [
        tool({
          type: 'dict',
          properties: {
            a: { type: 'str' },
            b: { type: ['FLOAT', 'None'] },
            c: { type: 'list' },
            d: { type: ['array', 'null'] },
            e: { type: [] },
            f: { type: 'date' },
          },
        }),
      ],
    }),
    dropped: 'tools.f.type',
    sent: (body) => {
      const sent = JSON.stringify(body)
      assert.match(
        sent,
        /"a":\{"type":"string"\},"b":\{"type":\["number","null"\]\},"c":\{"type":"array","items":\{\}\}/,
      )
      assert.match(sent, /"f":\{"description":"\{type: \\"date\\"\}"\}/)
    },
  },
  {
    it: 'keywords of a schema that are null',
    ...chat({
      tools: [
        tool({ type: 'object', description: null, required: null, properties: { a: { items: null, enum: null } } }),
      ],
    }),
    sent: (body) => assert.match(JSON.stringify(body), /"properties":\{"a":\{\}\}/),
  },
  {
    it: 'references to nothing and to another document',
    ...chat({
      tools: [
        tool({
          type: 'object',
          properties: { a: { $ref: '#/$defs/Missing' }, b: { $ref: 'https://example.com/b.json', title: 'B' } },
        }),
      ],
    }),
    dropped: 'tools.f.%24ref',
    sent: (body) => assert.match(JSON.stringify(body), /"b":\{"type":"object","title":"B"\}/),
  },
  {
    it: 'an empty value of an enum, and a required name without a property',
    ...chat({
      tools: [tool({ type: 'object', properties: { a: { type: 'string', enum: ['', 'x'] } }, required: ['a', 'b'] })],
    }),
    to: ['google-gemini'],
    dropped: 'tools.f.required',
    sent: (body) => assert.match(JSON.stringify(body), /"required":\["a"\]/),
  },
  {
    it: 'a tool whose arguments are a text beside a good one',
    ...chat({ tools: [tool({ type: 'object', properties: {} }), tool({ type: 'string' }, 'odd')] }),
    dropped: 'tools.odd',
  },
  {
    it: 'an image of the type image/jpg',
    ...chat({ messages: [user([{ type: 'image_url', image_url: { url: jpg } }])] }),
  },
  {
    it: 'an image of the type image/JPG within a result',
    ...messages({
      messages: [
        user(),
        { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input: {} }] },
        user([{ type: 'tool_result', tool_use_id: 'a', content: [pixel] }]),
      ],
    }),
  },
  {
    it: 'a budget of thinking below the least',
    path: '/chat/completions',
    body: { messages: [user()], max_tokens: 2000, reasoning: { max_tokens: 500 } },
    ...toAnthropic,
    sent: ({ thinking }) => assert.equal(thinking?.budget_tokens ?? 1024, 1024),
  },
  { it: 'a result that is JSON with a reference', ...chat({ messages: calling('a', '{"a":{"$ref":"#/x"}}') }) },
  { it: 'a result that is a list with a reference', ...chat({ messages: calling('a', '[{"$ref":"#/x"}]') }) },
  {
    it: 'a failed result with a reference',
    ...messages({
      messages: [
        user(),
        { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input: {} }] },
        user([{ type: 'tool_result', tool_use_id: 'a', is_error: true, content: '{"$ref":"#/x"}' }]),
      ],
    }),
  },
  { it: 'the id of a call that is longer than 64 characters', ...chat({ messages: calling('c'.repeat(85), 'ok') }) },
  { it: 'calls of two turns with one id', ...chat({ messages: [...calling('a', '1'), ...calling('a', '2')] }) },
  { it: 'the id of a call with a dot', ...chat({ messages: calling('functions.f:0', 'ok') }) },
  { it: 'the role developer', ...responses({ input: [{ role: 'developer', content: 'Be brief.' }, user()] }) },
  {
    it: 'system messages later in a conversation, and users that follow each other',
    ...chat({
      messages: [
        { role: 'system', content: 'A' },
        { role: 'developer', content: 'B' },
        user(),
        { role: 'system', content: 'C' },
        ...calling('a', 'ok'),
        { role: 'system', content: 'D' },
      ],
    }),
  },
]

describe('a strict provider accepts', () => {
  let strict: RecordedProviders
  before(async () => {
    strict = await startWithUpstream(strictResponse, ['claude-sonnet-4-5'])
  })
  after(() => strict[Symbol.asyncDispose]())

  async function ask(path: string, protocol: string, body: object) {
    const { service, upstream } = strict
    const response = await service.ask('POST', path, { body: { model: `${protocol}/claude-sonnet-4-5`, ...body } })
    return { ...response, received: upstream.requests.at(-1)?.body }
  }

  for (const { it, path, body, to = simulatedProtocols, dropped, sent } of rows)
    test(it, async () => {
      for (const protocol of to) {
        const { status, text, headers, received } = await ask(path, protocol, body)
        assert.equal(status, 200, `${protocol}: ${text}`)
        const names = headers.get('x-fields-left-out')
        if (dropped) assert.ok(names?.includes(dropped), `${protocol}: ${names}`)
        sent?.(received)
      }
    })

  test('an upgrade to a WebSocket is refused at once with 426, and GET with 405', async () => {
    const statusOf = (headers: Record<string, string>) =>
      new Promise<number | undefined>((resolve, reject) => {
        const asking = request(`${strict.service.url}/responses`, { headers })
        asking
          .on('response', (response) => resolve(response.resume().statusCode))
          .on('error', reject)
          .end()
      })
    const upgrade = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' }
    assert.equal(await statusOf({ ...upgrade, authorization: `Bearer ${strict.service.apiKey}` }), 426)
    assert.equal(await statusOf(upgrade), 426)
    assert.equal(await statusOf({}), 405)
  })

  const long = `mcp.server/${'x'.repeat(75)}`
  const doors: Record<string, object> = {
    '/chat/completions': {
      tools: [tool({ type: 'object', properties: {} }, long)],
      tool_choice: { type: 'function', function: { name: long } },
      messages: calling('a', 'ok').map((one) =>
        JSON.parse(JSON.stringify(one).replace('"name":"f"', `"name":"${long}"`)),
      ),
    },
    '/messages': {
      max_tokens: 50,
      tools: [{ name: long, input_schema: { type: 'object', properties: {} } }],
      tool_choice: { type: 'tool', name: long },
      messages: [
        user(),
        { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: long, input: {} }] },
        user([{ type: 'tool_result', tool_use_id: 'a', content: 'ok' }]),
      ],
    },
    '/responses': {
      tools: [{ type: 'function', name: long, parameters: { type: 'object', properties: {} } }],
      tool_choice: { type: 'function', name: long },
      input: [
        user(),
        { type: 'function_call', call_id: 'a', name: long, arguments: '{}' },
        { type: 'function_call_output', call_id: 'a', output: 'ok' },
      ],
    },
  }

  for (const [path, body] of Object.entries(doors))
    test(`a long name of a tool at ${path}, which the response has again`, async () => {
      for (const protocol of simulatedProtocols)
        for (const stream of [false, true]) {
          const { status, text, received } = await ask(path, protocol, { ...body, stream })
          assert.equal(status, 200, `${protocol}: ${text}`)
          const alias = firstTool(received)!
          assert.notEqual(alias, long)
          assert.equal(JSON.stringify(received).includes(long), false, protocol)
          // The declaration, the choice, and the call of the history.
          assert.ok(
            JSON.stringify(received).split(`"${alias}"`).length >= 4,
            `${protocol}: ${JSON.stringify(received)}`,
          )
          assert.ok(text.includes(`"name":"${long}"`), `${protocol}: ${text}`)
          assert.equal(text.includes(alias), false, `${protocol}: ${text}`)
        }
    })
})
