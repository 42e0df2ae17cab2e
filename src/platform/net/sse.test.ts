import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { SseReader } from './sse.ts'

const read = (chunks: Buffer[]) => {
  const reader = new SseReader()
  return [...chunks.flatMap((chunk) => reader.push(chunk)), ...reader.end()].map(({ event, data }) => ({ event, data }))
}
const whole = Buffer.from('data: {"a":"é🚂"}\n\n: keepalive\n\nevent: x\r\ndata: 1\r\ndata:2\r\n\r\ndata: [DONE]')
const expected = [
  { event: undefined, data: '{"a":"é🚂"}' },
  { event: 'x', data: '1\n2' },
  { event: undefined, data: '[DONE]' },
]

test('events are the same wherever the chunks break', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: whole.length })), (cuts) => {
      const borders = [0, ...cuts.sort((a, b) => a - b), whole.length]
      const chunks = borders.slice(1).map((end, index) => whole.subarray(borders[index], end))
      assert.deepEqual(read(chunks), expected)
    }),
  )
})

test('lines can end with CR alone, wherever the chunks break', () => {
  const stream = Buffer.from(whole.toString().replaceAll('\r\n', '\n').replaceAll('\n', '\r'))
  assert.deepEqual(read([stream]), expected)
  for (let at = 1; at < stream.length; at++)
    assert.deepEqual(read([stream.subarray(0, at), stream.subarray(at)]), expected)
})

test('a byte order mark before the first event is skipped for any chunk boundary', () => {
  const marked = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), whole])
  assert.deepEqual(read([marked]), expected)
  assert.deepEqual(read(Array.from(marked, (_, at) => marked.subarray(at, at + 1))), expected)
  assert.equal(new SseReader().push(Buffer.from('\ufeffdata: 1\n\n'))[0]!.raw.toString(), 'data: 1\n\n')
})

test('the bytes of an event are unchanged', () => {
  const reader = new SseReader()
  const events = [...reader.push(Buffer.from('data: 1\r')), ...reader.push(Buffer.from('\n\r\ndata'))]
  assert.deepEqual(
    events.map(({ raw }) => raw.toString()),
    ['data: 1\r\n\r\n'],
  )
})

test('an event at the end of the stream gets its blank line', () => {
  for (const text of ['data: 1', 'data: 1\n', 'event: x\ndata: 1\r\n']) {
    const reader = new SseReader()
    const events = [...reader.push(Buffer.from(text)), ...reader.end()]
    assert.deepEqual(
      new SseReader()
        .push(Buffer.concat([...events.map(({ raw }) => raw), Buffer.from('data: 2\n\n')]))
        .map(({ data }) => data),
      ['1', '2'],
    )
  }
})

test('an event of ten megabytes on one line is complete', () => {
  const text = 'x'.repeat(10 * 1024 * 1024)
  const bytes = Buffer.from(`data: ${text}\n\n`)
  const chunks = Array.from({ length: Math.ceil(bytes.length / 65_536) }, (_, i) =>
    bytes.subarray(i * 65_536, (i + 1) * 65_536),
  )
  assert.equal(read(chunks)[0]?.data.length, text.length)
})

test('an event without end is refused before it fills the memory', () => {
  const reader = new SseReader()
  const chunk = Buffer.alloc(1024 * 1024, 'x')
  assert.throws(() => {
    for (let i = 0; i < 40; i++) reader.push(chunk)
  }, /over 33554432 bytes/)
})

test('an event of one line reads as the same line reads among others', () => {
  const piece = fc.constantFrom(
    'data:',
    'data: ',
    'event:',
    ' ',
    '\r\n',
    '\n',
    '\n\n',
    '{"a":1}',
    'é',
    ':',
    'x',
    '\ufeff',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      const text = pieces.join('')
      // A comment has no effect but adds a line break.
      const [alone, among] = [`data:${text}\n\n`, `:\ndata:${text}\n\n`].map((one) => read([Buffer.from(one)]))
      assert.deepEqual(alone, among)
    }),
    { numRuns: 2000 },
  )
})

test('a reader with a bound gives up where only idle bytes come, however they are cut', () => {
  for (const idle of ['\n', '\r\n', ': comment\n\n', 'data:\n\n', 'event: ping\n\n']) {
    for (const size of [1, 7, 4096]) {
      const reader = new SseReader(10_000)
      const bytes = Buffer.from(idle.repeat(11_000))
      const pushAll = () => {
        for (let at = 0; at < bytes.length; at += size) reader.push(bytes.subarray(at, at + size))
      }
      assert.throws(pushAll, /no event in 10000 bytes/, JSON.stringify(idle))
    }
  }
})

test('idle bytes between events are not added up', () => {
  const reader = new SseReader(100)
  const comments = ': comment\n\n'.repeat(5)
  for (let times = 0; times < 100; times++) assert.equal(reader.push(Buffer.from(`${comments}data: 1\n\n`)).length, 1)
  for (let times = 0; times < 100; times++) {
    reader.push(Buffer.from(comments))
    reader.resetIdleBytes()
  }
})
