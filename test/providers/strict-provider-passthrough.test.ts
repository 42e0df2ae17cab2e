import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type RecordedProviders, startWithUpstream } from '#test/harness/upstream/recorded-providers.ts'
import { strictResponse } from '#test/harness/upstream/strict-upstreams.ts'

type Row = { it: string; body: object; dropped?: string; sent?: (body: any) => void }

const user = (content: unknown = 'Hi') => ({ role: 'user', content })
const text = (value: string) => ({ type: 'text', text: value })
const image = { type: 'image', source: { type: 'base64', media_type: 'image/JPG', data: '/9j/4AAQ' } }
const jpg = 'data:image/jpg;base64,/9j/4AAQ'
const long = `mcp.server/${'x'.repeat(150)}`
const optional = { type: 'object', properties: { a: { type: 'string' }, b: { type: 'string' } }, required: ['a'] }
const union = { anyOf: [optional, { type: 'object', properties: { c: { type: 'string' } } }] }
const toolTurn = (id: string, content: unknown, name = 'f') => [
  user(),
  { role: 'assistant', content: [{ type: 'tool_use', id, name, input: {} }] },
  user([{ type: 'tool_result', tool_use_id: id, content }]),
]
const schemaOf = (properties: object) => ({
  output_config: { format: { type: 'json_schema', schema: { type: 'object', properties } } },
})

const messages: Row[] = [
  {
    it: 'an empty message',
    body: { messages: [user(), { role: 'assistant', content: [] }, user('Go')] },
    dropped: 'messages.content',
  },
  {
    it: 'a message of an empty text',
    body: { messages: [user(), { role: 'assistant', content: '' }, user('Go')] },
    dropped: 'messages.content',
  },
  { it: 'a system prompt with a blank part', body: { system: [text('Be brief.'), text(' ')] }, dropped: 'system' },
  { it: 'a result of blank text', body: { messages: toolTurn('a', [text('\n')]) }, dropped: 'messages.content' },
  {
    it: 'the start of a response that ends with a space',
    body: { messages: [user(), { role: 'assistant', content: [text('Sure: ')] }] },
    sent: ({ messages: [, { content }] }) => assert.equal(content[0].text, 'Sure:'),
  },
  {
    it: 'a call without a result',
    body: { messages: [...toolTurn('a', 'ok').slice(0, 2), user('Go')] },
    sent: ({ messages: [, , { content }] }) =>
      assert.deepEqual(
        content.map(({ type }: any) => type),
        ['tool_result', 'text'],
      ),
  },
  {
    it: 'a result after a text',
    body: {
      messages: [
        ...toolTurn('a', 'ok').slice(0, 2),
        user([text('Here'), { type: 'tool_result', tool_use_id: 'a', content: 'ok' }]),
      ],
    },
    sent: ({ messages: [, , { content }] }) => assert.equal(content[0].content, 'ok'),
  },
  {
    it: 'a result without a call',
    body: { messages: [toolTurn('a', [text('found')])[2]] },
    sent: ({ messages: [{ content }] }) => assert.equal(content[1].text, 'found'),
  },
  { it: 'a blank stop sequence', body: { stop_sequences: ['\n', 'END'] }, dropped: 'stop_sequences' },
  {
    it: 'the id of a call with a dot',
    body: { messages: toolTurn('functions.f:0', 'ok') },
    sent: ({ messages: [, { content: calls }, { content: results }] }) =>
      assert.equal(calls[0].id, results[0].tool_use_id),
  },
  {
    it: 'calls of two turns with one id',
    body: { messages: [...toolTurn('call_0', 'one'), ...toolTurn('call_0', 'two')] },
    sent: ({ messages }) =>
      assert.deepEqual(
        [1, 2, 4, 5].map((at) => messages[at].content[0].id ?? messages[at].content[0].tool_use_id),
        ['call_0', 'call_0', 'call_0_2', 'call_0_2'],
      ),
  },
  {
    it: 'calls of one turn with one id',
    body: {
      messages: [
        user(),
        { role: 'assistant', content: [1, 2].map((n) => ({ type: 'tool_use', id: 'a', name: 'f', input: { n } })) },
        user(['one', 'two'].map((content) => ({ type: 'tool_result', tool_use_id: 'a', content }))),
      ],
    },
    sent: ({ messages: [, , { content }] }) =>
      assert.deepEqual(
        content.map((result: any) => result.tool_use_id),
        ['a', 'a_2'],
      ),
  },
  { it: 'an image of the type image/JPG', body: { messages: [user([image])] } },
  { it: 'an image of the type image/JPG in a result', body: { messages: toolTurn('a', [image]) } },
  { it: 'a budget of thinking below the least', body: { thinking: { type: 'enabled', budget_tokens: 500 } } },
  {
    it: 'bounds in the schema of a response',
    body: schemaOf({ n: { type: 'integer', minimum: 1 } }),
    dropped: 'output_config.format.minimum',
  },
  { it: 'a tool without a schema of its arguments', body: { tools: [{ name: 'f', input_schema: {} }] } },
  {
    it: 'a union at the root of a schema',
    body: { tools: [{ name: 'f', input_schema: union }] },
    dropped: 'tools.f.anyOf',
  },
  {
    it: 'a tool whose arguments are a text',
    body: { tools: [{ name: 'odd', input_schema: { type: 'string' } }] },
    dropped: 'tools.odd',
  },
  {
    it: 'the name of a tool that is too long',
    body: {
      tools: [{ name: long, input_schema: optional }],
      tool_choice: { type: 'tool', name: long },
      messages: toolTurn('a', 'ok', long),
    },
    sent: ({ tools, tool_choice, messages: [, { content }] }) =>
      assert.deepEqual([tool_choice.name, content[0].name], [tools[0].name, tools[0].name]),
  },
]

const call = (more: object) => ({ type: 'function_call', call_id: 'a', name: 'f', arguments: '{}', ...more })
const output = (more: object) => ({ type: 'function_call_output', call_id: 'a', output: 'ok', ...more })
const longId = 'c'.repeat(85)

const responses: Row[] = [
  { it: 'a message without parts', body: { input: [user([]), user()] } },
  {
    it: 'the id of a call that is longer than 64 characters',
    body: { input: [user(), call({ call_id: longId }), output({ call_id: longId })] },
    sent: ({ input: [, called, result] }) => assert.equal(called.call_id, result.call_id),
  },
  { it: 'an image of the type image/jpg', body: { input: [user([{ type: 'input_image', image_url: jpg }])] } },
  {
    it: 'an image of the type image/jpg in a result',
    body: { input: [user(), call({}), output({ output: [{ type: 'input_image', image_url: jpg }] })] },
  },
  {
    it: 'a strict tool with an optional property',
    body: { tools: [{ type: 'function', name: 'f', parameters: optional, strict: true }] },
    dropped: 'tools.f.strict',
  },
  {
    it: 'a strict format with an optional property',
    body: { text: { format: { type: 'json_schema', name: 'x', schema: optional, strict: true } } },
    dropped: 'text.format.strict',
  },
  {
    it: 'a union at the root of a schema',
    body: { tools: [{ type: 'function', name: 'f', parameters: union }] },
    dropped: 'tools.f.anyOf',
  },
  {
    it: 'the name of a custom tool that is too long',
    body: {
      tools: [{ type: 'custom', name: long }],
      tool_choice: { type: 'custom', name: long },
      input: [user(), { type: 'custom_tool_call', call_id: 'a', name: long, input: 'x' }],
    },
    sent: ({ tools, tool_choice, input }) =>
      assert.deepEqual([tool_choice.name, input[1].name], [tools[0].name, tools[0].name]),
  },
  {
    it: 'a choice of tools whose names are too long',
    body: {
      tools: [{ type: 'function', name: long, parameters: optional }],
      tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: long }] },
    },
    sent: ({ tools, tool_choice }) => assert.equal(tool_choice.tools[0].name, tools[0].name),
  },
]

const doors = [
  {
    protocol: 'anthropic-messages',
    path: '/messages',
    usual: { max_tokens: 2000, messages: [user()] },
    rows: messages,
  },
  { protocol: 'openai-responses', path: '/responses', usual: { input: 'Hi' }, rows: responses },
]

describe('a strict provider accepts the requests of clients of its protocol', () => {
  let strict: RecordedProviders
  before(async () => {
    strict = await startWithUpstream(strictResponse, ['claude-sonnet-4-5'])
  })
  after(() => strict[Symbol.asyncDispose]())

  for (const { protocol, path, usual, rows } of doors)
    for (const { it, body, dropped, sent } of rows)
      test(`${path}: ${it}`, async () => {
        const request = { model: `${protocol}/claude-sonnet-4-5`, ...usual, ...body }
        const { status, text: response, headers } = await strict.service.ask('POST', path, { body: request })
        assert.equal(status, 200, response)
        const names = headers.get('x-fields-left-out')
        if (dropped) assert.ok(names?.includes(dropped), `${names}`)
        sent?.(strict.upstream.requests.at(-1)!.body)
      })
})
