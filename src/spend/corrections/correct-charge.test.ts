import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Db } from '#platform/db/db.ts'
import { newDb, onEachDatabase } from '#test/harness/database/databases.ts'
import { at, generation } from '#test/harness/records/generations.ts'
import { dayOf } from '../ledger/days.ts'
import { findGeneration } from '../ledger/read-generations.ts'
import { listActivity } from '../ledger/spending/activity.ts'
import { writeGenerations } from '../metering/write.ts'
import { grains } from '../rollups/cell.ts'
import { mergeBatches } from '../rollups/merge-batches.ts'
import { findUnconfirmedCharge, unconfirmedAmountOfResponse } from './charged-row.ts'
import { correctCharge } from './correct-charge.ts'
import { claimCostLookups, findNextLookupTime } from './cost-lookups.ts'

const usd = 10n ** 12n
const day = dayOf(at)
const account = 'session:intern session'

/** A request that is charged 1 USD for its response and 3 USD for a failed attempt, without a report. */
const unreported = () =>
  generation({
    cost: usd,
    margin: 5n * usd,
    estimated: true,
    hasCostLookup: true,
    chargedBudgets: [account],
    attempts: [
      { endpointId: 'a/b@q', provider: 'q', outcome: 'bad_gateway', durationMs: 1, unconfirmedUsd: 3 },
      { endpointId: 'a/b@p', provider: 'p', outcome: 'broke', durationMs: 1, unconfirmedUsd: 2 },
    ],
  })

async function spentOf(db: Db): Promise<string[]> {
  const rows = await db.query.selectFrom('budget_periods').selectAll().orderBy('period').execute()
  return rows.map(({ spent_pico }) => String(BigInt(spent_pico) / usd))
}

const correct = (db: Db, id: string) =>
  db.exclusively(`charge ${id} ${Math.random()}`, async (tx) => {
    const row = await findUnconfirmedCharge(tx, id)
    return (
      row &&
      correctCharge(db, tx, row, {
        cost: usd / 2n,
        margin: row.margin - unconfirmedAmountOfResponse(row),
        tokens: { prompt: 10, completion: 7, reasoning: 0, cached: 0 },
        correction: { source: 'provider', at },
      })
    )
  })

onEachDatabase('a correction', (kind) => {
  test('by several servers at once changes the row, sums and budgets of the day once', async () => {
    await using store = await newDb(kind)
    const one = unreported()
    await writeGenerations(store, [one])
    const periods = [0, day - 1, day].map((period) => ({ budget: account, period, spent_pico: 10n * usd }))
    await store.db.query.insertInto('budget_periods').values(periods).execute()
    const done = await Promise.all([1, 2, 3].map(() => correct(store.db, one.id)))
    // The second and third find only the amount of the failed attempt, which a bill for the response does not change.
    const released = done.reduce<bigint>((sum, amount) => sum + (amount ?? 0n), 0n)
    assert.equal(released, (5n * usd) / 2n)
    assert.deepEqual(await spentOf(store.db), ['7', '10', '7'])
    const record = await findGeneration(store, { ...one.caller, keyKind: 'management' }, one.id)
    assert.deepEqual([record.total_cost, record.unconfirmed_usd, record.tokens_completion], [0.5, 3, 7])
    assert.deepEqual(
      record.attempts.map(({ charged_usd, unconfirmed_usd }) => [charged_usd, unconfirmed_usd]),
      [
        [3, 3],
        [0.5, 0],
      ],
    )
    const [sums] = await listActivity(store, {
      organizationId: 'organization',
      fromDay: 0,
      toDay: 99_999,
      by: new Set(['model'] as const),
    })
    assert.deepEqual([sums?.costUsd, sums?.unconfirmedUsd, sums?.completionTokens], [0.5, 3, 7])
  })

  test('of only the cost, repeated, and a release need no merge between them', async () => {
    await using store = await newDb(kind)
    const one = unreported()
    await writeGenerations(store, [one])
    const newCharges = [
      [usd, 3n],
      [usd / 2n, 3n],
      [usd / 4n, 3n],
      [usd / 4n, 0n],
    ] as const
    for (const [cost, margin] of newCharges)
      await store.db.exclusively(`charge ${one.id}`, async (tx) => {
        const row = (await findUnconfirmedCharge(tx, one.id))!
        await correctCharge(store.db, tx, row, {
          cost,
          margin: margin * usd,
          correction: { source: 'provider', at },
        })
      })
    while (await mergeBatches(store));
    const sums = await store.db.query
      .selectFrom('model_cells')
      .where('grain', '=', grains.day)
      .select(['cost_pico', 'margin_pico'])
      .execute()
    assert.deepEqual(
      sums.map(({ cost_pico, margin_pico }) => [BigInt(cost_pico), BigInt(margin_pico)]),
      [[usd / 4n, 0n]],
    )
  })

  test('is looked up by one server at a time, later each time', async () => {
    await using store = await newDb(kind)
    const one = unreported()
    await writeGenerations(store, [one, generation({ hasCostLookup: true }), generation({ margin: usd })])
    const due = Number(await findNextLookupTime(store.db.query))
    assert.deepEqual(await claimCostLookups(store.db, due - 1, 10), [])
    const claims = await Promise.all([1, 2, 3].map(() => claimCostLookups(store.db, due, 10)))
    assert.deepEqual(claims.flat(), [{ id: one.id, attempts: 1 }])
    assert.equal(await findNextLookupTime(store.db.query), due + 1000)
    assert.deepEqual(await claimCostLookups(store.db, due + 1000, 10), [{ id: one.id, attempts: 2 }])
    assert.equal(await findNextLookupTime(store.db.query), due + 3000)
  })
})
