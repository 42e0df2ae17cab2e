import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as laterTurn } from 'node:timers/promises'
import { pauseFor } from './long-work.ts'

test('work on a short body has no pauses', () => {
  assert.equal(pauseFor(256 * 1024), undefined)
})

test('of several that pause, each turn of the event loop continues one', async () => {
  const pause = pauseFor(256 * 1024 + 1)!
  const continued: string[] = []
  for (const name of ['a', 'b', 'c']) void pause().then(() => continued.push(name))
  const counts: number[] = []
  while (continued.length < 3) {
    await laterTurn()
    counts.push(continued.length)
  }
  assert.deepEqual(continued, ['a', 'b', 'c'])
  for (const [at, count] of counts.entries()) assert.ok(count - (counts[at - 1] ?? 0) <= 1, String(counts))
})
