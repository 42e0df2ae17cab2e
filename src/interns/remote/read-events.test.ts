import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { TimeSlices } from '#platform/async/time-slices.ts'
import { maxEventBytes, type TurnEvent } from '../contract/turn-event.ts'
import { readEvents } from './read-events.ts'

const text = (words: string): TurnEvent => ({ type: 'text.added', text: words })
const finished: TurnEvent = { type: 'turn.finished', model: null, usage: null }
const permission = { id: 'q', kind: 'permission', operation: 'shell', detail: null, options: ['allow_once'] }
const question = (more: object) =>
  JSON.stringify({ type: 'question.asked', deadlineAt: 1, question: { ...permission, ...more } })
const line = (event: unknown) => `${JSON.stringify(event)}\n`
const untouched = new AbortController().signal

async function responseOf(say: (response: ServerResponse) => void): Promise<IncomingMessage> {
  const server = createServer((_, response) => {
    response.removeHeader('transfer-encoding')
    say(response)
    server.close()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const request = get({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', agent: false })
  const [response] = await once(request, 'response')
  return response
}

const read = async (say: (response: ServerResponse) => void, signal = untouched) =>
  Array.fromAsync(readEvents(await responseOf(say), signal))

suite('the events of a daemon’s answer', () => {
  test('end with the closing event, whatever follows', async () => {
    const events = await read((response) => response.end(line(text('zwölf 🚂')) + line(finished) + line(text('late'))))
    assert.deepEqual(events, [text('zwölf 🚂'), finished])
  })

  test('are read in few pieces, even if each byte arrives as a chunk', async () => {
    const stream = new Readable({ read() {}, highWaterMark: 1024 * 1024 })
    let pauses = 0
    const pause = stream.pause.bind(stream)
    stream.pause = () => {
      pauses++
      return pause()
    }
    const events = readEvents(stream as IncomingMessage, untouched)
    const first = events.next()
    for (const byte of Buffer.from(line(text('x'.repeat(20_000))) + line(finished))) stream.push(Buffer.from([byte]))
    assert.deepEqual((await first).value, text('x'.repeat(20_000)))
    assert.deepEqual((await events.next()).value, finished)
    assert.ok(pauses < 20, `${pauses} pauses`)
  })

  for (const [how, tail] of [
    ['breaks', ''],
    ['breaks in the middle of an event', '{"type":"turn.fin'],
  ]) {
    test(`end with stream_severed when the daemon’s output ${how}`, async () => {
      const events = await read((response) => {
        response.write(line(text('one')) + tail, () => response.destroy())
      })
      assert.equal(events.length > 0 && events.every(({ type }) => type !== 'turn.finished'), true)
      assert.equal((events.at(-1) as { reason?: string }).reason, 'stream_severed')
    })
  }

  for (const [what, name, why] of [
    ['is not JSON', 'nonsense', /it is not JSON/],
    ['is an empty object', '{}', /its type is unknown/],
    ['is null', 'null', /the event is not an object/],
    ['is a text that is none', '{"type":"text.added","text":{}}', /text is not a string/],
    ['asks without a question', '{"type":"question.asked","deadlineAt":1}', /question is not an object/],
    [
      'asks with the options of another',
      question({ options: ['allow_once', 'toString'] }),
      /1 is not one of allow_once/,
    ],
    ['fails for no known reason', '{"type":"turn.failed","reason":"constructor"}', /reason is not one of/],
    ['is longer than any', `{"type":"text.added","text":"${'x'.repeat(maxEventBytes)}"}`, /is over 524288 bytes/],
    ['never ends', 'x'.repeat(2 * maxEventBytes), /is over 524288 bytes/],
  ] as const) {
    test(`end with turn_failed and the reason when one ${what}`, async () => {
      const events = await read((response) => void response.write(`${line(text('one'))}${name}\n`))
      assert.deepEqual(events[0], text('one'))
      const [, last] = events as [TurnEvent, Extract<TurnEvent, { type: 'turn.failed' }>]
      assert.deepEqual([events.length, last.reason, last.retryable], [2, 'turn_failed', false])
      assert.match(last.message, why)
    })
  }

  test('pass on nothing that is not of the contract', async () => {
    const request = {
      type: 'question.asked',
      deadlineAt: 5,
      extra: 1,
      question: { ...permission, __proto__: null, x: 1 },
    }
    const events = await read((response) => response.end(line({ ...text('a'), role: 'tool' }) + line(request)))
    assert.deepEqual(events, [text('a'), { type: 'question.asked', deadlineAt: 5, question: permission }])
  })

  test('of a flood are read in small groups, between other requests', async () => {
    // Each read of the clock advances it by a millisecond, so the test counts events between two turns of the event
    // loop.
    let now = 0
    const slices = new TimeSlices(5, () => now++)
    const unhurried = { slices, now: () => 0, wait: async () => {} }
    const flood = line({ type: 'work.noticed' }).repeat(2000)
    let [turn, counted, events, most] = [0, 0, 0, 0]
    const others = setImmediate(function next() {
      turn++
      timer = setImmediate(next)
    })
    let timer = others
    const streams = [1, 2, 3].map(async () => {
      const response = await responseOf((response) => response.end(flood + line(finished)))
      for await (const _ of readEvents(response, untouched, unhurried)) {
        events = turn === counted ? events + 1 : 1
        counted = turn
        most = Math.max(most, events)
      }
    })
    await Promise.all(streams)
    clearImmediate(timer)
    assert.ok(most < 50, `${most} events went by in one turn`)
  })

  test('two floods of events both continue, also with slow events', async () => {
    let now = 0
    const clock = { slices: new TimeSlices(5, () => (now += 10)), now: () => 0, wait: async () => {} }
    const counts = [0, 0]
    const streams = counts.map(async (_, which) => {
      const response = await responseOf((response) => response.end(line({ type: 'work.noticed' }).repeat(2000)))
      for await (const _ of readEvents(response, untouched, clock)) {
        counts[which]!++
        if (counts[which] === 1000) return [...counts]
      }
      return counts
    })
    const [first] = await Promise.race(streams.map(async (one) => [await one]))
    await Promise.all(streams)
    assert.ok(Math.min(...first!) > 500, String(first))
  })

  test('come no faster than an intern may send them', async () => {
    let waited = 0
    const wait = async (ms: number) => {
      waited += ms
    }
    const clock = { slices: new TimeSlices(5), now: () => waited, wait }
    const response = await responseOf((response) => response.end(line({ type: 'work.noticed' }).repeat(30_000)))
    let events = 0
    for await (const _ of readEvents(response, untouched, clock)) events++
    assert.equal(events, 30_001)
    assert.ok(waited >= 1990 && waited < 2500, `${waited} ms`)
  })

  test('are not read while the caller is busy', async () => {
    let written = 0
    const events = readEvents(
      await responseOf((response) => {
        const more = () => {
          while (written < 50_000_000) {
            written += 100_000
            if (!response.write(line(text('x'.repeat(100_000))))) return void response.once('drain', more)
          }
          response.end(line(finished))
        }
        more()
      }),
      untouched,
    )
    assert.equal((await events.next()).done, false)
    await sleep(500)
    assert.ok(written < 20_000_000, `${written} bytes were taken`)
    let last: TurnEvent | undefined
    for await (const event of events) last = event
    assert.deepEqual(last, finished)
  })

  test('reject when the caller’s signal broke them, and end when it leaves', async () => {
    const disconnect = new AbortController()
    const response = await responseOf((response) => response.write(line(text('one'))))
    const events = readEvents(response, disconnect.signal)
    assert.deepEqual((await events.next()).value, text('one'))
    const next = events.next()
    disconnect.abort(new Error('left'))
    response.destroy()
    await assert.rejects(next, /left/)

    const others = readEvents(await responseOf((response) => response.write(line(text('one')))), untouched)
    await others.next()
    const waiting = others.next()
    await others.return?.()
    assert.equal((await waiting).done, true)
  })
})
