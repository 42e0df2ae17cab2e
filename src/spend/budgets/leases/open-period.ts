import { dayMs } from '#platform/core/clock.ts'
import { maxPico, type PicoUsd } from '#platform/core/pico-usd.ts'
import type { Db, Query, Tx } from '#platform/db/db.ts'
import { dayOf } from '../../ledger/days.ts'
import { type Budget, type Period, periodsOfOtherIntervals } from '../budget.ts'
import { deleteOldLeases } from '../rows/lease-rows.ts'
import { deleteOldNotifications } from '../rows/notification-rows.ts'
import { deleteOldPeriods, insertPeriod, readSpendingOfPeriods } from '../rows/spending-rows.ts'
import { lockOpenings } from './opening-lock.ts'

/** Longer than any period, so that older leases cannot count in a current one. */
const retentionMs = 40 * dayMs

/** Reads the spending of the period from the ledger. */
export type ReadLedger = (query: Query) => Promise<PicoUsd>

/**
 * Opens the account of a period, and deletes what is left of old periods. The transaction has the lock of the budget, so nothing is
 * reported while the ledger is read.
 * @param at the database's time.
 * @returns the sum with which it opens.
 */
export async function openPeriod(
  { db, tx }: { db: Pick<Db, 'kind'>; tx: Tx },
  budget: Budget,
  period: Period,
  at: number,
  readLedger: ReadLedger,
): Promise<PicoUsd> {
  await lockOpenings(db, tx, 'open')
  const others = await readSpendingOfPeriods(tx, budget.id, periodsOfOtherIntervals(budget, at))
  const spent = openingAmount(period, await readLedger(tx), others)
  await insertPeriod(tx, budget.id, period, spent)
  if (budget.interval === null) return spent
  await deleteOldLeases(tx, budget.id, period, at - retentionMs)
  await deleteOldNotifications(tx, budget.id, period, at - retentionMs)
  await deleteOldPeriods(tx, budget.id, dayOf(at - retentionMs))
  return spent
}

/** The sum of the ledger, but at least that of each current period inside this one. */
function openingAmount(period: Period, ledger: PicoUsd, others: ReadonlyMap<Period, PicoUsd>): PicoUsd {
  const innerSums = [...others].flatMap(([otherPeriod, spent]) => (otherPeriod >= period ? [spent] : []))
  return innerSums.reduce(maxPico, ledger)
}
