import { dayMs } from '#platform/core/clock.ts'
import { maxPico, type PicoUsd } from '#platform/core/pico-usd.ts'
import type { Db, Tx } from '#platform/db/db.ts'
import { dayOf } from '../../ledger/days.ts'
import { type Budget, type Period, periodsOfOtherIntervals } from '../budget.ts'
import { deleteOldLeases } from '../rows/lease-rows.ts'
import { deleteOldNotifications } from '../rows/notification-rows.ts'
import { deleteOldPeriods, insertPeriod, readSpendingOfPeriods } from '../rows/spending-rows.ts'

/** Longer than any period, so that older leases cannot count in a current one. */
const retentionMs = 40 * dayMs

/** The sums with which the account of a new period opens. */
export type OpeningSums = {
  /** The spending of the period in the ledger. */
  ledger: PicoUsd
  /** The sums of other intervals by period, from before the ledger was read. */
  others: ReadonlyMap<Period, PicoUsd>
}

/** @param at the database's time. @param readLedger reads the spending of the period from the ledger. */
export async function readOpeningSums(
  db: Db,
  budget: Budget,
  at: number,
  readLedger: () => Promise<PicoUsd>,
): Promise<OpeningSums> {
  const others = await readSpendingOfPeriods(db.query, budget.id, periodsOfOtherIntervals(budget, at))
  return { ledger: await readLedger(), others }
}

/**
 * Opens the account of a period, and deletes what is left of old periods.
 * @param at the database's time.
 * @returns the sum with which it opens.
 */
export async function openPeriod(
  tx: Tx,
  budget: Budget,
  period: Period,
  at: number,
  openingSums: OpeningSums,
): Promise<PicoUsd> {
  const others = await readSpendingOfPeriods(tx, budget.id, periodsOfOtherIntervals(budget, at))
  const spent = openingAmount(period, openingSums, others)
  await insertPeriod(tx, budget.id, period, spent)
  if (budget.interval === null) return spent
  await deleteOldLeases(tx, budget.id, period, at - retentionMs)
  await deleteOldNotifications(tx, budget.id, period, at - retentionMs)
  await deleteOldPeriods(tx, budget.id, dayOf(at - retentionMs))
  return spent
}

/**
 * Adds the spending that was reported under another interval since the ledger was read. It may be counted twice, which is
 * safer than not at all. The sum is at least that of each current period inside this one.
 */
function openingAmount(period: Period, openingSums: OpeningSums, others: ReadonlyMap<Period, PicoUsd>): PicoUsd {
  let missedAmount = 0n
  let innerPeriodSum = 0n
  for (const [otherPeriod, spent] of others) {
    missedAmount = maxPico(missedAmount, spent - (openingSums.others.get(otherPeriod) ?? spent))
    if (otherPeriod >= period) innerPeriodSum = maxPico(innerPeriodSum, spent)
  }
  return maxPico(openingSums.ledger + missedAmount, innerPeriodSum)
}
