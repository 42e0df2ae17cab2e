import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Db, Query } from '#platform/db/db.ts'
import type { StatementBatch } from '#platform/db/rows/insert-rows.ts'
import { newDb } from '#test/harness/database/databases.ts'
import { noSpill } from '#test/harness/money/no-spill.ts'
import { generation } from '#test/harness/records/generations.ts'
import { openLedger } from './ledger.ts'

/** A database that accepts one batch in `everyMs`. */
function slow({ db }: { db: Db }, everyMs: number): Db {
  const executeQuery: Query['executeQuery'] = async (...responses) => {
    await sleep(everyMs)
    return db.query.executeQuery(...responses)
  }
  return { ...db, query: { executeQuery } as Query }
}

const quiet = { spill: noSpill, onError: assert.ifError, onRejected: assert.ifError, onLost: () => assert.fail() }

test('clients that exceed the write rate are slowed down, not refused', async () => {
  await using store = await newDb('sqlite')
  const rhythm = { everyMs: 5, maxBatchRows: 50, maxQueuedRows: 500, spillAfterMs: 1e9, closeMs: 1e9 }
  const ledger = openLedger({ db: slow(store, 50), ...quiet }, rhythm)
  let [served, refused, delayed] = [0, 0, 0]
  const client = async () => {
    while (served < 1200) {
      const delayMs = ledger.admissionDelayMs()
      if (delayMs > 0) delayed++
      await sleep(delayMs)
      if (!ledger.hasRoom()) refused++
      served++
      ledger.record(generation())
      await sleep(4)
    }
  }
  await Promise.all(Array.from({ length: 16 }, client))
  assert.equal(refused, 0)
  assert.ok(delayed > 0)
  await ledger.close()
  assert.equal((await store.db.query.selectFrom('generations').select('id').execute()).length, served)
})

test('the delay of a request grows with the backlog, up to the maximum', async () => {
  await using store = await newDb('sqlite')
  const ledger = openLedger({ db: store.db, ...quiet }, { everyMs: 1e9, maxQueuedRows: 10, spillAfterMs: 1e9 })
  const delays = Array.from({ length: 11 }, () => {
    const delay = ledger.admissionDelayMs()
    ledger.record(generation())
    return delay
  })
  assert.deepEqual(delays, [0, 0, 0, 250, 500, 750, 1000, 1250, 1500, 1750, 2000])
  assert.equal(ledger.hasRoom(), false)
  await ledger.flush()
  assert.equal(ledger.admissionDelayMs(), 0)
  await ledger.close()
})

test('requests run between the steps of a batch, unless the backlog exceeds one batch', async () => {
  let turns = 0
  const written: { rows: number; turns: number }[] = []
  const executeQuery = async ({ parameters }: { parameters: readonly unknown[] }) => {
    const [{ statements }] = parameters as [StatementBatch]
    written.push({ rows: statements[0]!.rows.length, turns })
    return { rows: [] }
  }
  const db = { kind: 'sqlite', query: { executeQuery } } as unknown as Db
  const ledger = openLedger(
    { db, ...quiet },
    { everyMs: 1e9, maxBatchRows: 1000, maxQueuedRows: 5000, spillAfterMs: 1e9 },
  )
  let counting = setImmediate(function count() {
    turns++
    counting = setImmediate(count)
  })
  for (const rows of [1000, 1500]) {
    for (let at = 0; at < rows; at++) ledger.record(generation())
    turns = 0
    await ledger.flush()
  }
  clearImmediate(counting)
  assert.deepEqual(
    written.map(({ rows }) => rows),
    [1000, 1000, 500],
  )
  const [alone, first, second] = written
  assert.ok(alone!.turns >= 9, `${alone!.turns} turns`)
  assert.ok(first!.turns <= 1, `${first!.turns} turns`)
  assert.ok(second!.turns - first!.turns >= 4, `${second!.turns} turns`)
  await ledger.close()
})

const full = () => Promise.reject(new Error('database or disk is full'))
const fullDisk = { kind: 'sqlite', query: { executeQuery: full } } as unknown as Db
const hasty = { everyMs: 1, spillAfterMs: 1e9, closeMs: 1, saveRetryMs: 20 }

test('requests that cannot be stored at the end are reported with their cost', async () => {
  const lost: unknown[] = []
  const deps = { ...quiet, db: fullDisk, onError: () => {}, onLost: (...results: unknown[]) => void lost.push(results) }
  const ledger = openLedger(deps, hasty)
  for (const cost of [3n, 4n]) ledger.record(generation({ cost, margin: 10n }))
  await ledger.close()
  assert.deepEqual([lost, ledger.lostRequestCount()], [[[2, 27n]], 2])
})

test('all rows are stored if the disk has space again before the stop timeout', async () => {
  const stored: unknown[] = []
  let tries = 0
  const write = async (rows: readonly unknown[]) => {
    if (++tries < 3) await full()
    stored.push(...rows)
  }
  const deps = { ...quiet, db: fullDisk, onError: () => {}, spill: { ...noSpill, write } }
  const ledger = openLedger(deps, { ...hasty, saveRetryMs: 60_000 })
  ledger.record(generation())
  await ledger.close()
  assert.deepEqual([stored.length, ledger.lostRequestCount()], [1, 0])
})
