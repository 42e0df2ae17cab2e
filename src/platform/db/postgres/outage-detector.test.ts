import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkEveryMs, OutageDetector } from './outage-detector.ts'

/** A presence with a clock that the test sets, and the calls of its listeners. */
function watched() {
  const reports: string[] = []
  const onBack = (awayMs: number) => void reports.push(`back after ${awayMs}`)
  const presence = new OutageDetector(
    { silenceMs: 1000, onUnavailable: (why) => reports.push(why), onRecovered: onBack },
    0,
  )
  let now = 0
  const looks = (count: number, everyMs = checkEveryMs) => {
    for (let at = 0; at < count; at++) {
      now += everyMs
      presence.check(now)
    }
  }
  return { presence, reports, looks, at: () => now }
}

const timeout = { code: 'ETIMEDOUT', message: /not responded for 1000 ms/ }

test('a waiting request is refused after the silence limit, a later one at once', async () => {
  const { presence, reports, looks } = watched()
  const waiting = presence.runIfAvailable(() => new Promise(() => {}))
  looks(3)
  assert.deepEqual(reports, [])
  looks(5)
  await assert.rejects(waiting, timeout)
  await assert.rejects(
    presence.runIfAvailable(() => assert.fail('it is asked')),
    timeout,
  )
  assert.equal(reports.length, 1)
})

test('a response ends the silence; an outage starts at the last response before it', async () => {
  const { presence, reports, looks, at } = watched()
  looks(3)
  presence.recordResponse(at())
  looks(3)
  assert.deepEqual(reports, [])
  looks(4)
  presence.recordResponse(at())
  assert.equal(await presence.runIfAvailable(async () => 1), 1)
  assert.deepEqual(reports.slice(1), ['back after 1750'])
})

test('a process that stood still does not take its own silence for that of Postgres', async () => {
  const { reports, looks } = watched()
  looks(1, 60_000)
  assert.deepEqual(reports, [])
})
