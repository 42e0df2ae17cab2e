import assert from 'node:assert/strict'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { test } from 'node:test'
import { sql } from '#platform/db/kysely.ts'
import { newDb } from '../harness/database/databases.ts'

/** Runs `work` beside a 5 ms timer. @returns how long it took and the longest the timer had to wait. */
async function beside(work: () => Promise<unknown>): Promise<{ tookMs: number; ticks: number; stalledMs: number }> {
  const delay = monitorEventLoopDelay({ resolution: 5 })
  let ticks = 0
  const timer = setInterval(() => ticks++, 5)
  delay.enable()
  const before = performance.now()
  await work()
  const tookMs = performance.now() - before
  delay.disable()
  clearInterval(timer)
  return { tookMs, ticks, stalledMs: delay.max / 1e6 }
}

test('a slow statement of the embedded database does not hold up the event loop', async () => {
  await using store = await newDb('sqlite')
  const slow = (steps: number) =>
    sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${steps}) select sum(i) from n`
  const { tookMs, ticks, stalledMs } = await beside(() => slow(4_000_000).execute(store.db.query))
  assert.ok(tookMs > 200, `the statement was too quick to show anything: ${tookMs} ms`)
  assert.ok(stalledMs < tookMs / 2, `the event loop stood still for ${stalledMs} of ${tookMs} ms`)
  assert.ok(ticks > tookMs / 50, `a 5 ms timer ticked ${ticks} times in ${tookMs} ms`)
})

test('two thousand durable writes leave the event loop free to answer', async () => {
  await using store = await newDb('sqlite')
  const write = (index: number) =>
    store.db.query
      .insertInto('organizations')
      .values({ id: `o${index}`, name: 'O', created_at: 0 })
      .execute()
  const { tookMs, ticks, stalledMs } = await beside(async () => {
    for (let from = 0; from < 2000; from += 20) {
      await Promise.all(Array.from({ length: 20 }, (_, index) => write(from + index)))
    }
  })
  assert.ok(stalledMs < Math.max(100, tookMs / 4), `the event loop stood still for ${stalledMs} of ${tookMs} ms`)
  assert.ok(ticks > tookMs / 50, `a 5 ms timer ticked ${ticks} times in ${tookMs} ms`)
})
