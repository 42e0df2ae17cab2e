import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CompletionEvent } from '#chat/events.ts'
import { SseReader } from '#platform/net/sse.ts'
import { toErrorObject } from '../errors.ts'
import { readBlocks, toParts } from '../request/blocks.ts'
import { MessageWriter } from './writer.ts'

const head = { id: 'gen-1', model: 'a/b', createdSeconds: 1 }

/** The output for the events between the beginning and the end of the message. */
function written(...events: CompletionEvent[]): object[] {
  const writer = new MessageWriter(head)
  const text = events.map(writer.event).join('') + writer.end(undefined)
  const all = new SseReader().push(Buffer.from(text)).map(({ data }) => JSON.parse(data))
  assert.deepEqual([all[0].type, all.at(-2).type, all.at(-1).type], ['message_start', 'message_delta', 'message_stop'])
  return all.slice(1, -2)
}
const start = (index: number, content_block: object) => ({ type: 'content_block_start', index, content_block })
const add = (index: number, delta: object) => ({ type: 'content_block_delta', index, delta })
const stop = (index: number) => ({ type: 'content_block_stop', index })

test('text is one block, opened empty, added to and closed', () => {
  assert.deepEqual(
    written({ type: 'text', text: 'Hel' }, { type: 'text', text: '' }, { type: 'refusal', text: 'lo' }),
    [
      start(0, { type: 'text', text: '' }),
      add(0, { type: 'text_delta', text: 'Hel' }),
      add(0, { type: 'text_delta', text: 'lo' }),
      stop(0),
    ],
  )
})

test('readable reasoning has a signature, encrypted reasoning is redacted', () => {
  const format = 'anthropic-claude-v1' as const
  const read = written(
    { type: 'reasoning', text: 'Hm', format },
    { type: 'reasoning', text: '', format, signature: 'sig' },
    { type: 'text', text: 'Hi' },
  )
  assert.deepEqual(read.slice(0, 4), [
    start(0, { type: 'thinking', thinking: '', signature: '' }),
    add(0, { type: 'thinking_delta', thinking: 'Hm' }),
    add(0, { type: 'signature_delta', signature: 'sig' }),
    stop(0),
  ])
  const hidden = written({ type: 'reasoning', text: '', format, encrypted: 'data' })
  assert.deepEqual(hidden, [start(0, { type: 'redacted_thinking', data: 'data' }), stop(0)])
  assert.deepEqual(written({ type: 'reasoning', text: '' }), [])
})

test('calls come one after the other, also where their arguments come in turns', () => {
  const block = (id: string) => ({ type: 'tool_use', id, name: id, input: {}, caller: { type: 'direct' } })
  const call = (index: number, id: string): CompletionEvent => ({ type: 'tool_call', index, id, name: id })
  const args = (index: number, text: string): CompletionEvent => ({ type: 'tool_arguments', index, text })
  assert.deepEqual(written(call(0, 'a'), args(0, '{"x":'), call(1, 'b'), args(1, '{}'), args(0, '1}'), args(7, 'no')), [
    start(0, block('a')),
    add(0, { type: 'input_json_delta', partial_json: '{"x":' }),
    add(0, { type: 'input_json_delta', partial_json: '1}' }),
    stop(0),
    start(1, block('b')),
    add(1, { type: 'input_json_delta', partial_json: '{}' }),
    stop(1),
  ])
})

test('a source before its text is attached to it', () => {
  const cited = written({ type: 'citation', url: 'https://a.example', title: 'A' }, { type: 'text', text: 'Hi' })
  const [opened, text, citation] = cited as { delta: { type: string; citation: { url: string } } }[]
  assert.ok(opened)
  assert.equal(text!.delta.type, 'text_delta')
  assert.deepEqual([citation!.delta.type, citation!.delta.citation.url], ['citations_delta', 'https://a.example'])
})

test('a source after its text is attached to the closed block', () => {
  const call: CompletionEvent[] = [
    { type: 'text', text: 'Hi' },
    { type: 'tool_call', index: 0, id: 'a', name: 'a' },
    { type: 'tool_arguments', index: 0, text: '{}' },
    { type: 'citation', url: 'https://a.example' },
    { type: 'finish', reason: 'tool_calls', native: 'tool_use' },
  ]
  const output = written(...call) as { index: number; delta?: { type: string; citation: { url: string } } }[]
  const cited = output.filter(({ delta }) => delta?.type === 'citations_delta')
  assert.deepEqual(
    cited.map(({ index, delta }) => [index, delta!.citation.url]),
    [[0, 'https://a.example']],
  )
})

test('errors have Anthropic’s names', () => {
  const names = [400, 401, 402, 403, 404, 408, 409, 413, 429, 499, 500, 502, 503, 504, 529].map(
    (code) => toErrorObject({ code, message: 'M' }).type,
  )
  const [invalid, api, late, busy] = ['invalid_request_error', 'api_error', 'timeout_error', 'overloaded_error']
  assert.deepEqual(names.slice(0, 5), [
    invalid,
    'authentication_error',
    'billing_error',
    'permission_error',
    'not_found_error',
  ])
  assert.deepEqual(names.slice(5), [
    late,
    invalid,
    'request_too_large',
    'rate_limit_error',
    invalid,
    api,
    api,
    busy,
    late,
    busy,
  ])
  assert.deepEqual(toErrorObject({ code: 400, message: 'M', metadata: { a: 1 } }), {
    type: invalid,
    message: 'M',
    details: { a: 1 },
  })
})

test('blocks are the parts of a chat: text, images, documents and results', () => {
  const cache_control = { type: 'ephemeral' }
  const one = (block: object) => toParts(block as { type: string }, 'p')[0]
  assert.deepEqual(one({ type: 'text', text: 'Hi', cache_control }), { type: 'text', text: 'Hi', cache_control })
  const data = { type: 'base64', media_type: 'image/png', data: 'AA' }
  const url = 'data:image/png;base64,AA'
  assert.deepEqual(one({ type: 'image', source: data }), { type: 'image_url', image_url: { url } })
  assert.deepEqual(one({ type: 'image', source: { type: 'url', url: 'https://a.example' } }), {
    type: 'image_url',
    image_url: { url: 'https://a.example' },
  })
  const file = { type: 'file', file: { file_id: 'f' } }
  for (const type of ['image', 'document'])
    assert.deepEqual(one({ type, source: { type: 'file', file_id: 'f' } }), file)
  const text = { type: 'text', data: 'D' }
  assert.deepEqual(one({ type: 'document', title: 'T', source: text }), { type: 'text', text: 'T\n\nD' })
  assert.deepEqual(one({ type: 'document', source: text }), { type: 'text', text: 'D' })
  assert.deepEqual(one({ type: 'document', source: { ...data, media_type: 'application/pdf' } }), {
    type: 'file',
    file: { file_data: 'data:application/pdf;base64,AA', filename: 'document.pdf' },
  })
  const found = { type: 'search_result', title: 'T', source: 's', content: [{ type: 'text', text: 'C' }] }
  assert.deepEqual(one(found), { type: 'text', text: 'T\ns\nC' })
  assert.deepEqual(one({ type: 'tool_reference', tool_name: 'x' }), { type: 'text', text: 'x' })
  assert.deepEqual(one({ type: 'odd', a: 1 }), { type: 'odd', a: 1 })
  assert.throws(() => one({ type: 'image' }), { kind: 'invalid', message: 'p.source: is required.' })
})

test('a content is text or an array of blocks, or refused with its place', () => {
  assert.deepEqual(readBlocks('Hi', 'p'), [{ type: 'text', text: 'Hi' }])
  for (const empty of ['', null, undefined, []]) assert.deepEqual(readBlocks(empty, 'p'), [])
  assert.throws(() => readBlocks(5, 'p'), { kind: 'invalid', message: /^p: must be text or an array/ })
  assert.throws(() => readBlocks([{ type: 'text' }, {}], 'p'), { kind: 'invalid', message: 'p.1.type: is required.' })
})

test('calls after an incomplete call wait, and it is not parsed again for each', (t) => {
  const parse = t.mock.method(JSON, 'parse')
  const writer = new MessageWriter(head)
  writer.event({ type: 'tool_call', index: 0, id: 'a', name: 'f' })
  writer.event({ type: 'tool_arguments', index: 0, text: '{"a":"' })
  for (let index = 1; index <= 100; index++) writer.event({ type: 'tool_call', index, id: `c${index}`, name: 'f' })
  assert.ok(parse.mock.callCount() <= 1, `it was read ${parse.mock.callCount()} times`)
  parse.mock.restore()
  assert.equal((writer.message(undefined) as { content: object[] }).content.length, 1)
  writer.event({ type: 'finish', reason: 'length', native: 'length' })
  writer.end(undefined)
  assert.equal((writer.message(undefined) as { content: object[] }).content.length, 101)
})
