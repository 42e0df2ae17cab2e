import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TranscriptEvent } from '#interns/contract/transcript.ts'
import { followSession } from './follow-session.ts'

const { signal } = new AbortController()
const entry = (revision: number) => ({ type: 'entry', entry: { revision } }) as unknown as TranscriptEvent

/** Follows a session whose reconnects have these results. @returns the events, the revisions, and the delays of reconnects. */
async function follow(reconnects: (TranscriptEvent[] | Error | undefined)[]) {
  const revisions: number[] = []
  const times = [performance.now()]
  const reconnect = async (revision: number) => {
    revisions.push(revision)
    times.push(performance.now())
    const result = reconnects.shift()
    if (result instanceof Error) throw result
    return result
  }
  const backoff = { firstMs: 20, maxMs: 80 }
  const events = await Array.fromAsync(followSession([entry(1)], 0, signal, reconnect, backoff))
  return { events, revisions, delays: times.slice(1).map((time, index) => time - times[index]!) }
}

test('followSession continues after the last entry until the intern is deleted', async () => {
  const { events, revisions } = await follow([[entry(4)], undefined])
  assert.deepEqual(events, [entry(1), entry(4)])
  assert.deepEqual(revisions, [1, 4])
})

test('followSession waits longer after each failure, until an event arrives', async () => {
  const unreachable = new Error('unreachable')
  const { delays } = await follow([unreachable, [], [entry(2)], undefined])
  for (const [index, minimum] of [20, 40, 80, 20].entries()) assert.ok(delays[index]! >= minimum - 2, String(delays))
})
