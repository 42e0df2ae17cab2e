import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { suite, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { readEvents } from './read-events.ts'
import type { TurnEvent } from './turn-event.ts'

const text = (words: string): TurnEvent => ({ type: 'text.added', text: words })
const finished: TurnEvent = { type: 'turn.finished', model: null, usage: null }
const line = (event: unknown) => `${JSON.stringify(event)}\n`
const untouched = new AbortController().signal

async function answerOf(say: (response: ServerResponse) => void): Promise<IncomingMessage> {
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
  Array.fromAsync(readEvents(await answerOf(say), signal))

suite('the events of a daemon’s answer', () => {
  test('end with the closing one, whatever comes after it', async () => {
    const events = await read((response) => response.end(line(text('zwölf 🚂')) + line(finished) + line(text('late'))))
    assert.deepEqual(events, [text('zwölf 🚂'), finished])
  })

  for (const [how, tail] of [
    ['breaks', ''],
    ['breaks in the middle of an event', '{"type":"turn.fin'],
    ['is no JSON', 'nonsense\n'],
  ]) {
    test(`end with stream_severed when what the daemon says ${how}`, async () => {
      const events = await read((response) => {
        response.write(line(text('one')) + tail, () => response.destroy())
      })
      assert.equal(events.length > 0 && events.every(({ type }) => type !== 'turn.finished'), true)
      assert.equal((events.at(-1) as { reason?: string }).reason, 'stream_severed')
    })
  }

  test('are not read while the caller is busy', async () => {
    let written = 0
    const events = readEvents(
      await answerOf((response) => {
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
    const leaver = new AbortController()
    const response = await answerOf((answer) => answer.write(line(text('one'))))
    const events = readEvents(response, leaver.signal)
    assert.deepEqual((await events.next()).value, text('one'))
    const next = events.next()
    leaver.abort(new Error('left'))
    response.destroy()
    await assert.rejects(next, /left/)

    const others = readEvents(await answerOf((answer) => answer.write(line(text('one')))), untouched)
    await others.next()
    const waiting = others.next()
    await others.return?.()
    assert.equal((await waiting).done, true)
  })
})
