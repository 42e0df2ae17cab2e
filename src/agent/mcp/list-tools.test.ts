import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import type { McpServer } from '@agentclientprotocol/sdk'
import { modelWithResponses, newAgent } from '#test/harness/interns/scripted-agent.ts'

const script = join(import.meta.dirname, '../../../test/mcp/listing-server.ts')
const good = { name: 'good', description: 'Works.', inputSchema: { type: 'object', properties: { a: {} } } }

const listing = (
  tools: unknown[] | object,
  more: { name?: string; pageSize?: number; env?: object } = {},
): McpServer => ({
  name: more.name ?? 'odd',
  command: process.execPath,
  args: [script, JSON.stringify(tools), ...(more.pageSize ? [String(more.pageSize)] : [])],
  env: Object.entries(more.env ?? {}).map(([name, value]) => ({ name, value })),
})

/** A turn with these servers, in which the model makes these calls. */
async function turnWith(servers: McpServer[], calls: [name: string, input: object][] = []) {
  const { model, requests } = modelWithResponses([
    ...calls.map(([name, input]) => [{ name, arguments: JSON.stringify(input) }]),
    'done',
  ])
  await using at = await newAgent({ model, mcpServers: servers, mode: 'self-drive' })
  await at.prompt('go')
  const { tools, messages } = requests[0]!
  const offered = tools.filter(({ name }) => name.includes('__'))
  return { offered, names: offered.map(({ name }) => name), system: messages[0]?.text ?? '', results: at.results() }
}

const schemas = {
  'no properties': { type: 'object' },
  'no type': { properties: { a: { type: 'string' } } },
  'no schema at all': undefined,
  'a schema that is null': null,
  'a union at the root': { anyOf: [{ type: 'object', properties: { a: {} } }, { properties: { b: {} } }] },
  'a type in a list': { type: ['object', 'null'], properties: { a: {} } },
  'a reference at the root': { $ref: '#/$defs/a', $defs: { a: { type: 'object', properties: {} } } },
  'a property that is true': { type: 'object', properties: { a: true } },
  'properties that are null': { type: 'object', properties: null },
  'required that is not a list': { type: 'object', properties: { a: {} }, required: true },
}
for (const [name, inputSchema] of Object.entries(schemas))
  test(`a tool with ${name} is offered with a plain object schema, and can be called`, async () => {
    const servers = [listing([{ name: 'odd', inputSchema }, good])]
    const { offered, names, results } = await turnWith(servers, [['odd__odd', { a: 1 }]])
    assert.deepEqual(names, ['odd__odd', 'odd__good'])
    const parameters = offered[0]!.parameters as Record<string, unknown>
    assert.equal(parameters.type, 'object')
    assert.equal(typeof parameters.properties, 'object')
    for (const keyword of ['anyOf', '$ref']) assert.ok(!(keyword in parameters))
    assert.deepEqual(results, ['odd {"a":1}'])
  })

test('tools that cannot be used are excluded and named to the model, others stay', async () => {
  const { names, system } = await turnWith([
    listing([
      { name: 'text', inputSchema: { type: 'string' } },
      { name: 'long', inputSchema: { type: 'object', description: 'x'.repeat(30_000) } },
      { description: 'has no name' },
      'not even an object',
      good,
      good,
      { ...good, title: 'Another' },
    ]),
  ])
  assert.deepEqual(names, ['odd__good'])
  assert.match(system, /server odd has tools that cannot be used: text \(its arguments are not an object\), /)
  assert.match(system, /long \(its arguments are too long to describe\), one without a name, .*good \(listed twice\)/)
})

test('an odd output schema, title, description or annotation costs no tool', async () => {
  const odd = { title: 5, description: null, annotations: [], outputSchema: { type: 'array' }, execution: 1, icons: {} }
  const { names, results } = await turnWith([listing([{ ...good, ...odd }])], [['odd__good', {}]])
  assert.deepEqual(names, ['odd__good'])
  assert.deepEqual(results, ['good {}'])
})

test('a long description or name is cut between characters', async () => {
  const description = `${'x'.repeat(2000 - '[odd] '.length - 1)}😀`
  const named = { name: `${'n'.repeat(199)}😀`, inputSchema: { type: 'string' } }
  const { offered, system } = await turnWith([listing([{ ...good, description }, named])])
  assert.equal(offered[0]?.description.length, 1999)
  assert.match(system, /n{199} \(/)
  assert.ok(system.isWellFormed())
})

test('all pages of a list are read', async () => {
  const tools = Array.from({ length: 7 }, (_, at) => ({ ...good, name: `t${at}` }))
  const { names } = await turnWith([listing(tools, { pageSize: 3 })])
  assert.equal(names.length, 7)
})

test('pages are read until a cursor is missing or repeated; it can be empty', async () => {
  const pages = (...cursors: (string | null)[]) =>
    cursors.map((nextCursor, at) => [cursors[at - 1] ?? 'first', { tools: [{ ...good, name: `t${at}` }], nextCursor }])
  for (const [list, count] of [
    [pages('', null), 2],
    [pages('a', 'b', 'a'), 3],
    [[...pages(''), ['', { tools: [{ ...good, name: 't0' }], nextCursor: '' }]], 1],
  ] as const) {
    const { names, system } = await turnWith([listing(Object.fromEntries(list))])
    assert.equal(names.length, count, JSON.stringify(list))
    assert.doesNotMatch(system, /cannot be used/)
  }
})

test('more tools than providers accept are excluded, and small servers stay complete', async () => {
  const many = Array.from({ length: 300 }, (_, at) => ({ ...good, name: `t${at}` }))
  const { names, system } = await turnWith([listing(many, { name: 'many' }), listing([good], { name: 'few' })])
  assert.equal(names.length, 128 - 13)
  assert.ok(names.includes('few__good'))
  assert.match(system, /too many tools, so these of the server many are excluded: many__t\d+, .* and \d+ more/)
})

test('a credential in a schema is not shown to the model', async () => {
  const secret = 'secret-of-the-tools'
  const inputSchema = { type: 'object', properties: { token: { type: 'string', default: secret } } }
  const { offered } = await turnWith([listing([{ name: 'odd', inputSchema }], { env: { TOKEN: secret } })])
  assert.ok(!JSON.stringify(offered).includes(secret))
})

test('an unreachable server fails its calls without delaying the turn', async () => {
  const missing = { name: 'gone', command: '/nonexistent/server', args: [], env: [] }
  const { model } = modelWithResponses(['done'])
  await using at = await newAgent({ model, mcpServers: [missing, listing([good])], mode: 'self-drive' })
  await at.prompt('go')
  const [first, ...rest] = at.updates
  assert.partialDeepStrictEqual(first, {
    sessionUpdate: 'tool_call',
    name: 'mcp_server',
    status: 'failed',
    title: 'MCP server gone is not available',
  })
  assert.match(JSON.stringify(first), /cannot be reached: .*nonexistent/)
  assert.ok(rest.every(({ sessionUpdate }) => sessionUpdate !== 'tool_call'))
})
