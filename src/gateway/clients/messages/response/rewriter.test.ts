import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anthropicMessages } from '../../../providers/anthropic/anthropic-messages.ts'
import { createMessagesRewriter } from './rewriter.ts'

const rewriter = createMessagesRewriter({ id: 'gen-1', model: 'a/b', provider: 'P', createdSeconds: 1 })
const mended = (raw: string) => rewriter.rewriteEvent(Buffer.from(raw)).toString()

test('the first event names the model of the catalogue; other bytes are unchanged', () => {
  const raw = 'event: message_start\ndata: {"type":"message_start", "message" : {"id":"m","model":"claude"}}\n\n'
  const [, message] = /"message" : (\{.*?\})/.exec(mended(raw))!
  assert.deepEqual(JSON.parse(message!), { id: 'm', model: 'a/b', provider: 'P' })
  assert.ok(mended(raw).startsWith('event: message_start\ndata: {"type":"message_start", "message" : {'))
})

test('data that only resembles the first event is unchanged', () => {
  for (const raw of [
    'event: content_block_delta\ndata: {"delta":{"text":"message_start is first"}}\n\n',
    'event: message_start\ndata: none\n\n',
    'event: x\ndata: {"block":{"text":"message_start","input":{"message":{"model":"m"}}}}\n\n',
  ])
    assert.equal(mended(raw), raw)
})

test('events get the name that official clients read, if their upstream sends none', () => {
  const { rewriteEvent } = createMessagesRewriter({ id: 'gen-1', model: 'a/b', createdSeconds: 5 })
  const delta = 'data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"event: x"}}\n\n'
  assert.equal(rewriteEvent(Buffer.from(delta)).toString(), `event: content_block_delta\n${delta}`)
  assert.equal(rewriteEvent(Buffer.from(`event: ping\ndata: {"type":"ping"}\n\n`)).toString().split('event:').length, 2)
})

test('the stop reason fits the calls', () => {
  const { rewriteEvent } = createMessagesRewriter({ id: 'gen-1', model: 'a/b', createdSeconds: 5 })
  const end = Buffer.from('event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"end_turn"}}\n\n')
  const finish = { type: 'finish', reason: 'tool_calls', native: 'end_turn' } as const
  assert.match(rewriteEvent(end, [finish]).toString(), /"stop_reason":"tool_use"/)
  assert.match(rewriteEvent(end, [{ ...finish, reason: 'stop' }]).toString(), /"stop_reason":"end_turn"/)
})

test('a whole response with a truncated input gets an empty one, and other inputs stay', () => {
  const big = '{"id":12345678901234567890}'
  const blocks = `{"type":"tool_use","id":"a","name":"f","input":${big}},{"type":"tool_use","id":"b","name":"f","input":"{\\"a\\":"}`
  const text = `{"content":[${blocks}],"stop_reason":"max_tokens"}`
  const events = anthropicMessages.readBody(JSON.parse(text))
  const written = rewriter.rewriteWhole(text, JSON.parse(text), events)
  assert.ok(written.includes(`"name":"f","input":${big}`), written)
  assert.deepEqual(JSON.parse(written).content[1].input, {})
})

test('a stream without its first and its last event gets both', () => {
  const { rewriteEvent, writeEnd } = createMessagesRewriter({ id: 'gen-1', model: 'a/b', createdSeconds: 5 })
  const start = { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }
  const raw = `event: ${start.type}\ndata: ${JSON.stringify(start)}\n\n`
  const types = (text: string) => [...text.matchAll(/^event: (\w+)/gm)].map(([, type]) => type)
  assert.deepEqual(types(rewriteEvent(Buffer.from(raw)).toString()), ['message_start', 'content_block_start'])
  assert.deepEqual(types(writeEnd!()), ['message_stop'])
})

test('a stream with its last event gets no other', () => {
  const { rewriteEvent, writeEnd } = createMessagesRewriter({ id: 'gen-1', model: 'a/b', createdSeconds: 5 })
  rewriteEvent(Buffer.from('event: message_stop\ndata: {"type":"message_stop"}\n\n'))
  assert.equal(writeEnd!(), '')
})
