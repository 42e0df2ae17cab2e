import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { startFaultyService } from '#test/harness/service/faulty-service.ts'
import type { TestService } from '#test/harness/service/service.ts'
import {
  chunk,
  deltaEvent,
  type FaultyBehaviour,
  type FaultyUpstream,
  head,
  startFaultyUpstream,
} from '#test/harness/upstream/faulty/faulty-upstream.ts'

const megabyte = 1024 * 1024
const stream = 'text/event-stream'
const gzip = 'content-encoding: gzip\r\n'
const sayings = deltaEvent({ content: 'x'.repeat(1000) }).repeat(1000)
/** As many tool calls as there are events: they weigh more than their bytes. */
const calls = deltaEvent({
  tool_calls: [{ index: 0, id: 'c', function: { name: 'f', arguments: '{'.repeat(1000) } }],
}).repeat(100)

/** Sends the same piece repeatedly until the service disconnects. */
const endless =
  (type: string, more: string, piece: Buffer | string): FaultyBehaviour =>
  ({ socket }) => {
    const bytes = chunk(piece)
    const go = () => {
      while (socket.writable && socket.write(bytes));
    }
    socket.write(head(type, more))
    socket.on('drain', go)
    go()
  }

const behaviours = {
  events: endless(stream, '', sayings),
  comments: endless(stream, '', ': nothing\n\n'.repeat(10_000)),
  blank_lines: endless(stream, '', '\n'.repeat(65_536)),
  blank_crlf: endless(stream, '', '\r\n'.repeat(32_768)),
  empty_data: endless(stream, '', 'data:\n\n'.repeat(10_000)),
  names: endless(stream, '', 'event: ping\n\n'.repeat(10_000)),
  pings: endless(stream, '', 'data: {"type":"ping"}\n\n'.repeat(10_000)),
  one_line: endless(stream, '', `data: ${'x'.repeat(megabyte)}`),
  zipped_events: endless(stream, gzip, gzipSync(sayings)),
  zipped_line: endless(stream, gzip, gzipSync('x'.repeat(10 * megabyte))),
  json: endless('application/json', '', ' '.repeat(megabyte)),
  zipped_json: endless('application/json', gzip, gzipSync(' '.repeat(10 * megabyte))),
} satisfies Record<string, FaultyBehaviour>
/** Streams without content; they are refused early. */
const nothing = ['comments', 'blank_lines', 'blank_crlf', 'empty_data', 'names', 'pings']
const streamed = { text: endless(stream, gzip, gzipSync(sayings)), called: endless(stream, '', calls) }

let upstream: FaultyUpstream
let service: TestService
before(async () => {
  upstream = await startFaultyUpstream({ ...behaviours, ...streamed })
  const patient = { first_byte_timeout_ms: 600_000, silence_timeout_ms: 600_000 }
  service = await startFaultyService(upstream, Object.keys({ ...behaviours, ...streamed }), { settings: patient })
})
after(async () => {
  await service[Symbol.asyncDispose]()
  await upstream[Symbol.asyncDispose]()
})

describe('a response without end', () => {
  for (const behaviour of Object.keys(behaviours)) {
    test(`is refused before it fills the memory: ${behaviour}`, { timeout: 900_000 }, async () => {
      const before = process.memoryUsage().rss
      const { status, body } = await service.ask('POST', '/chat/completions', {
        body: { model: `faulty/${behaviour}`, messages: [{ role: 'user', content: 'Hi' }] },
      })
      assert.equal(status, 502)
      assert.match(
        body.error.message,
        /cannot be read: ((it|an event) is over \d+ bytes|it has no event|\d+ events in a row)/,
      )
      const grown = process.memoryUsage().rss - before
      assert.ok(grown < 600e6, `${grown} bytes more`)
    })
  }

  for (const behaviour of nothing) {
    test(`ends in a stream after little work: ${behaviour}`, { timeout: 900_000 }, async () => {
      const before = process.cpuUsage()
      const { status, text } = await service.ask('POST', '/chat/completions', {
        body: { model: `faulty/${behaviour}`, messages: [{ role: 'user', content: 'Hi' }], stream: true },
      })
      const { user, system } = process.cpuUsage(before)
      assert.ok(status === 502 || text.includes('cannot be read'), text)
      assert.ok(user + system < 5e6, `${user + system} µs`)
    })
  }

  for (const behaviour of Object.keys(streamed)) {
    test(`ends in a stream whose protocol repeats everything at its end: ${behaviour}`, {
      timeout: 900_000,
    }, async () => {
      const { status, text } = await service.ask('POST', '/responses', {
        body: { model: `faulty/${behaviour}`, input: 'Hi', stream: true },
      })
      assert.equal(status, 200)
      assert.equal(text.includes('event: response.failed'), true)
      assert.equal(text.includes('cannot be read: it is over 67108864 bytes'), true)
    })
  }
})
