import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newUuid } from '#platform/core/id.ts'
import { createLocalClock } from '#platform/db/clock.ts'
import type { Db } from '#platform/db/db.ts'
import { newDb, onEachDatabase } from '#test/harness/database/databases.ts'
import { generation } from '#test/harness/records/generations.ts'
import { dayOf } from '../ledger/days.ts'
import { writeGenerations } from '../metering/write.ts'
import { groupAccountPrefix } from './account-id.ts'
import { pruneGroupAccounts } from './prune-group-accounts.ts'
import { writeNotifiedThreshold } from './rows/notification-rows.ts'
import { readBudget } from './rows/stored-budget.ts'

const now = Date.UTC(2026, 10, 20, 12)
const today = dayOf(now)
const guardrail = newUuid()
const ofSession = groupAccountPrefix(guardrail, { by: 'session' })
const ofTag = groupAccountPrefix(guardrail, { by: 'tag', name: 'a:customer' })

async function opened(db: Db, accounts: [budget: string, period: number][]): Promise<void> {
  for (const [budget, period] of accounts)
    await db.query.insertInto('budget_periods').values({ budget, period, spent_pico: 1n }).execute()
}

async function remaining(db: Db): Promise<string[]> {
  await pruneGroupAccounts({ db, now: () => now })
  const rows = await db.query.selectFrom('budget_periods').select(['budget', 'period']).orderBy('budget').execute()
  return rows.map(({ budget, period }) => `${budget} ${period}`).toSorted()
}

onEachDatabase('accounts of sessions and tag values', (kind) => {
  test('are deleted when the ledger has no request of them, and in past periods', async () => {
    await using store = await newDb(kind)
    const { db } = store
    const stored = generation({ createdAt: now, sessionId: 'stored', tags: [['a:customer', 'ac:me']] })
    await writeGenerations({ db }, [stored])
    await opened(db, [
      [`${ofSession}stored`, 0],
      [`${ofSession}stored`, today],
      [`${ofSession}stored`, today - 41],
      [`${ofSession}absent`, 0],
      [`${ofTag}ac:me`, 0],
      [`${ofTag}absent`, 0],
      [`guardrail:${guardrail}:member:u`, 0],
      ['key:k', today - 41],
    ])
    const expected = [`${ofSession}stored 0`, `${ofSession}stored ${today}`, `${ofTag}ac:me 0`]
    expected.push(`guardrail:${guardrail}:member:u 0`, `key:k ${today - 41}`)
    assert.deepEqual(await remaining(db), expected.toSorted())
  })

  test('stay while a server holds money of them, with their notifications', async () => {
    await using store = await newDb(kind)
    const { db } = store
    const lease = (budget: string, renewed_at: number) =>
      db.query
        .insertInto('budget_leases')
        .values({ budget, period: 0, server: 's', held_pico: 1n, spent_pico: 0n, renewed_at })
        .execute()
    const notify = (budget: string) =>
      db.exclusively('test', (tx) =>
        writeNotifiedThreshold(tx, { account: budget, period: 0, interval: 'never', limit: 1n, percent: 50, at: 1 }),
      )
    await opened(db, [
      [`${ofSession}held`, 0],
      [`${ofSession}dead`, 0],
    ])
    await lease(`${ofSession}held`, now - 1000)
    await lease(`${ofSession}dead`, 1)
    await notify(`${ofSession}held`)
    await notify(`${ofSession}dead`)
    assert.deepEqual(await remaining(db), [`${ofSession}held 0`])
    for (const [session, count] of [
      ['held', 1],
      ['dead', 0],
    ] as const) {
      const { leases, notifiedThresholds } = await readBudget(
        db.query,
        createLocalClock(() => now),
        ofSession + session,
        0,
      )
      assert.deepEqual([leases.length, notifiedThresholds.length], [count, count], session)
    }
  })
})
