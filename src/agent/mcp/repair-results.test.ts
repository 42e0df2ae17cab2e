import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { modelWithResponses, newAgent } from '#test/harness/interns/scripted-agent.ts'

const raw = { name: 'raw', inputSchema: { type: 'object', properties: {} } }
const server = {
  name: 'odd',
  command: process.execPath,
  args: [join(import.meta.dirname, '../../../test/mcp/listing-server.ts'), JSON.stringify([raw])],
  env: [],
}

/** Returns the output that the model receives for each of these results. */
async function outputsOf(results: unknown[]): Promise<string[]> {
  const calls = results.map((result) => [{ name: 'odd__raw', arguments: JSON.stringify({ result }) }])
  const { model } = modelWithResponses([...calls, 'done'])
  const settings = { model: 'm', instructions: () => '', maxSteps: 50 }
  await using at = await newAgent({ model, settings, mcpServers: [server], mode: 'self-drive' })
  await at.prompt('go')
  return at.results() as string[]
}

test('a block that breaks the protocol does not hide the others', async () => {
  const good = { type: 'text', text: 'good' }
  const broken = (block: unknown) => `good\n[content that breaks the protocol: ${JSON.stringify(block)}]`
  const blocks = [
    5,
    null,
    { type: 'text' },
    { type: 'text', text: 7 },
    { type: 'chart', data: [1] },
    { type: 'image', data: 'AAAA' },
    { type: 'resource', resource: { uri: 'a' } },
    { type: 'resource_link', uri: 'a' },
  ]
  assert.deepEqual(await outputsOf(blocks.map((block) => ({ content: [good, block] }))), blocks.map(broken))
})

test('content that is not a list of blocks reaches the model', async () => {
  const [text, block, list, error, empty] = await outputsOf([
    { content: 'plain' },
    { content: { type: 'text', text: 'one' } },
    { structuredContent: [1, 2] },
    { content: ['no such file'], isError: 'true' },
    { content: [], structuredContent: null },
  ])
  assert.deepEqual([text, block, list, error, empty], ['plain', 'one', '[1,2]', 'Error: no such file', '(no output)'])
})

test('an answer that is not a result ends its call at once, and the server continues', async () => {
  const [none, next] = await outputsOf([null, { content: 'next' }])
  assert.equal(none, 'Error: The server sent a response that breaks the protocol.')
  assert.equal(next, 'next')
})

const text = (value: string) => ({ type: 'text', text: value })

for (const [what, result, expected] of [
  [
    'that the text lacks',
    { content: [text('Found 2 rows')], structuredContent: { rows: ['a', 'b'] } },
    'Found 2 rows\n{"rows":["a","b"]}',
  ],
  [
    'in the text as JSON',
    { content: [text('{ "rows": ["a", 1.5] }')], structuredContent: { rows: ['a', 1.5] } },
    '{ "rows": ["a", 1.5] }',
  ],
  [
    'in several texts',
    { content: [text('a'), text('b "c"')], structuredContent: { result: ['a', 'b "c"'] } },
    'a\nb "c"',
  ],
  ['without a text', { content: [], structuredContent: { a: 1 } }, '{"a":1}'],
] as const)
  test(`structured content ${what} reaches the model once`, async () => {
    assert.deepEqual(await outputsOf([result]), [expected])
  })

const png = 'iVBORw0KGgo='

for (const [what, block, label] of [
  ['of the type of its bytes', { data: png, mimeType: 'image/png' }, 'image: image/png, 9 bytes'],
  ['with the type of another format', { data: png, mimeType: 'image/jpeg' }, 'image: image/jpeg, 9 bytes'],
  ['in a data URL', { data: `data:image/png;base64,${png}` }, 'image: image/png, 9 bytes'],
  ['without bytes', { data: '', mimeType: 'image/png' }, 'image: image/png, 0 bytes, of a type that cannot be shown'],
  [
    'of other bytes',
    { data: 'aGk=', mimeType: 'image/png' },
    'image: image/png, 3 bytes, of a type that cannot be shown',
  ],
] as const)
  test(`an image ${what} is sent with the type of its bytes, or omitted`, async () => {
    const sent: unknown[] = []
    const call = [
      { name: 'odd__raw', arguments: JSON.stringify({ result: { content: [{ type: 'image', ...block }] } }) },
    ]
    const { model, requests } = modelWithResponses([call, 'done'])
    await using at = await newAgent({
      model,
      mcpServers: [server],
      mode: 'self-drive',
      checkImageInput: async () => true,
    })
    await at.prompt('go')
    for (const { messages } of requests)
      sent.push(...messages.flatMap((message) => ('images' in message ? (message.images ?? []) : [])))
    assert.deepEqual(at.results(), [`[${label}]`])
    assert.deepEqual(sent, label.endsWith('shown') ? [] : [{ mimeType: 'image/png', data: png }])
  })
