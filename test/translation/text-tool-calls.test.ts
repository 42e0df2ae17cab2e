import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { SseReader } from '#platform/net/sse.ts'
import { type RecordedProviders, startWithUpstream } from '../harness/upstream/recorded-providers.ts'
import { parseRequest } from '../harness/upstream/scripted-upstream.ts'
import { type Door, doors, streamReaders, wholeReaders } from '../tool-calls/clients.ts'

const a = '{"path":"a"}'
const b = '{"path":"b"}'
const hermes = (name: string, args: string) => `<tool_call>\n{"name": "${name}", "arguments": ${args}}\n</tool_call>`
const nested = '{"name": "read", "arguments": {"path": "</tool>"}}'

/** The text that a server with this format sends, and what its client gets. */
type Row = { format: string; sent: string; text?: string; calls?: string[][] }

const calling: Row[] = [
  { format: 'hermes', sent: hermes('read', a), calls: [['read', a]] },
  { format: 'hermes', sent: `I read.\n${hermes('read', a)}\n${hermes('write', b)}\nDone`, text: 'I read.Done' },
  { format: 'hermes', sent: `<tool_call>${nested}`, calls: [['read', '{"path":"</tool>"}']] },
  { format: 'llama3', sent: `{"name": "read", "parameters": ${a}}`, calls: [['read', a]] },
  { format: 'llama3', sent: `<|python_tag|>{"name": "read", "parameters": ${a}}<|eom_id|>`, calls: [['read', a]] },
  { format: 'mistral', sent: `[TOOL_CALLS][{"name": "read", "arguments": ${a}}]`, calls: [['read', a]] },
  { format: 'pythonic', sent: `[read(path="a")]<|eom_id|>`, calls: [['read', a]] },
  { format: 'pythonic', sent: `<|python_start|>[read(path='a'), write(path="b")]<|python_end|>` },
  { format: 'mistral', sent: `Hi[TOOL_CALLS]read[CALL_ID]x1[ARGS]${a}`, text: 'Hi', calls: [['read', a]] },
]
const both = [
  ['read', a],
  ['write', b],
]
for (const row of calling) row.calls ??= both
calling.push(
  {
    format: 'llama3',
    sent: `{"name": "read", "parameters": ${a}}; {"name": "write", "parameters": ${b}}`,
    calls: both,
  },
  { format: 'mistral', sent: `[TOOL_CALLS]read[ARGS]${a}[TOOL_CALLS]write${b}`, calls: both },
)

/** Texts that stay, because they do not consist of calls of declared tools. */
const plain: Row[] = [
  ...[hermes('rm', a), '<tool_call>not JSON</tool_call> you', '<tool_call>{"name":"read","argu', 'a < b <tool'].map(
    (sent) => ({ format: 'hermes', sent }),
  ),
  ...['{"name": "Bob", "age": 3}', 'Use {"name": "read"} here', '<|python_tag|>print(1)'].map((sent) => ({
    format: 'llama3',
    sent,
  })),
  { format: 'mistral', sent: '[TOOL_CALLS]read[ARGS]{"path":"a' },
  ...['[read the file](a)', '[read("a")]', '[rm(path="a")]', '[read(path="a")] Done'].map((sent) => ({
    format: 'pythonic',
    sent,
  })),
].map((row) => ({ ...row, text: row.sent }))

const rows = [...calling, ...plain]
const cumulative = ['He', 'Hell', 'Hell', 'Hello Hello']

const chunk = (delta: object, finish_reason: string | null = null) =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] })}\n\n`
const stream = (pieces: readonly string[]) =>
  `${pieces.map((content) => chunk({ content })).join('')}${chunk({}, 'stop')}data: [DONE]\n\n`

function createResponse(name: string, streamed: boolean) {
  if (name === 'cumulative') return { status: 200, type: 'text/event-stream', body: stream(cumulative) }
  const [, at, size] = name.split('-')
  const { sent } = rows[Number(at)]!
  if (streamed)
    return { status: 200, type: 'text/event-stream', body: stream(sent.match(new RegExp(`[^]{1,${size}}`, 'g'))!) }
  const message = { role: 'assistant', content: sent }
  const body = JSON.stringify({ id: 'c', choices: [{ index: 0, message, finish_reason: 'stop' }] })
  return { status: 200, type: 'application/json', body }
}

const parameters = { type: 'object', properties: {} }
const names = ['read', 'write']
const tools: Record<Door, object[]> = {
  chat: names.map((name) => ({ type: 'function', function: { name, parameters } })),
  responses: names.map((name) => ({ type: 'function', name, parameters })),
  messages: names.map((name) => ({ name, input_schema: parameters })),
}
const sizes = [1, 6, 500]

describe('calls in the text of chat servers', () => {
  let recorded: RecordedProviders
  before(async () => {
    const formats = ['hermes', 'llama3', 'mistral', 'pythonic']
    recorded = await startWithUpstream(
      (received) => {
        const { name, streamed } = parseRequest(received)
        return createResponse(name, streamed)
      },
      ['cumulative', ...rows.flatMap((_, at) => sizes.map((size) => `m-${at}-${size}`))],
      {
        chatServers: [...formats, 'cumulative', 'plain'],
        compatibility: {
          cumulative: { cumulative_text: true },
          ...Object.fromEntries(formats.map((format) => [format, { text_tool_calls: format }])),
        },
      },
    )
  })
  after(() => recorded[Symbol.asyncDispose]())

  const ask = (door: Door, model: string, streamed: boolean, members: object = { tools: tools[door] }) =>
    recorded.service.ask('POST', doors[door].path, {
      body: { ...doors[door].body, model, stream: streamed, ...members },
    })
  const read = (door: Door, text: string) => {
    const events = new SseReader().push(Buffer.from(text)).map(({ data }) => data)
    return streamReaders[door](events.filter((data) => data.startsWith('{')).map((data) => JSON.parse(data)))
  }

  for (const [at, { format, sent, text = '', calls = [] }] of rows.entries())
    for (const door of Object.keys(doors) as Door[])
      test(`${door}, ${format}: ${JSON.stringify(sent.slice(0, 45))}`, async () => {
        for (const size of sizes) {
          const reply = await ask(door, `${format}/m-${at}-${size}`, true)
          const understood = read(door, reply.text)
          assert.deepEqual([understood.text, understood.calls.map((call) => call.slice(1))], [text, calls], reply.text)
        }
        const whole = wholeReaders[door]((await ask(door, `${format}/m-${at}-1`, false)).body)
        assert.deepEqual([whole.text, whole.calls.map((call) => call.slice(1))], [text, calls])
        assert.equal(whole.end === 'tool_calls' || whole.end === 'tool_use', calls.length > 0 && door !== 'responses')
      })

  test('calls stay text without declared tools, and without the setting', async () => {
    const { sent } = calling[0]!
    for (const [model, members] of [
      ['hermes/m-0-6', {}],
      ['plain/m-0-6', undefined],
    ] as const)
      assert.equal(read('chat', (await ask('chat', model, true, members)).text).text, sent)
  })

  test('text that each delta repeats reaches every client once, with the setting', async () => {
    for (const door of Object.keys(doors) as Door[])
      assert.equal(read(door, (await ask(door, 'cumulative/cumulative', true)).text).text, 'Hello Hello')
    const plainText = read('chat', (await ask('chat', 'plain/cumulative', true)).text).text
    assert.equal(plainText, cumulative.join(''))
  })
})
