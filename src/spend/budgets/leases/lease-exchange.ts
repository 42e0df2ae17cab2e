import { dayMs } from '#platform/core/clock.ts'
import { maxPico, maxStorable, minPico, type PicoUsd } from '#platform/core/pico-usd.ts'
import type { DatabaseClock } from '#platform/db/clock.ts'
import type { Db, Tx } from '#platform/db/db.ts'
import type { Publish } from '#platform/db/signals.ts'
import { dayOf } from '../../ledger/days.ts'
import { type Budget, periodOf, periodsOfOtherIntervals } from '../budget.ts'
import { crossesThreshold, notifyThresholds } from '../notify-thresholds.ts'
import { deleteLease, deleteOldLeases, type Lease, writeLease } from '../rows/lease-rows.ts'
import { deleteOldNotifications } from '../rows/notification-rows.ts'
import { addSpent, deleteOldPeriods, insertPeriod, readSpendingOfPeriods } from '../rows/spending-rows.ts'
import { readBudget, type StoredBudget } from '../rows/stored-budget.ts'
import { defaultThresholds, thresholdOwner } from '../thresholds.ts'
import { leaseHolder, sumLeases } from './leases.ts'

type BudgetStore = { db: Db; clock: DatabaseClock }
type ExchangeTransaction = { tx: Tx; publish: Publish; clock: DatabaseClock }

/**
 * A server's report and its request for money. A repeated report counts once, because it has the total spending.
 */
export type LeaseReport = {
  server: string
  period: number
  /** The total spending since the account was opened. */
  total: PicoUsd
  /** The part of the total that the database has confirmed. */
  confirmed: PicoUsd
  /** The money that the server holds, reserved or available. */
  held: PicoUsd
  /** The part of `held` that is spent and not in `total` yet. */
  unwritten: PicoUsd
  /** The minimum amount to grant; 0 for none. */
  need: PicoUsd
  /** The amount for all waiting requests. */
  totalNeed: PicoUsd
}

export type Grant = {
  granted: PicoUsd
  /** The money of the budget that is neither spent nor leased after the grant. */
  free: PicoUsd
  /** The money leased by other servers that report. Some of it may be returned. */
  heldByOthers: PicoUsd
  /** The money leased by servers that have not reported for some seconds. */
  heldByUnresponsive: PicoUsd
  /** The database's time. */
  at: number
  /** Whether the period is the current one, by the database's clock. Other periods get no grant. */
  isCurrentPeriod: boolean
  /** Whether the server holds nothing and all of its spending is confirmed. */
  isLeaseEnded: boolean
}

/** The maximum leased money of a server: nine million USD, near the maximum of a column. */
const maxHeld = 9n * 10n ** 18n

/** Reads the spending of a budget from before the period's account was opened. */
type EarlierSpending = {
  /** Resolves when the ledger has all spending of this server, and spending under other intervals is reported. */
  waitUntilReported: () => Promise<void>
  /** The spending in the ledger. */
  readLedger: () => Promise<PicoUsd>
}

/** The maximum amount that a server keeps available for later requests. It stays charged if the server is killed. */
export const standbyAmount = (limit: PicoUsd): PicoUsd => limit / 100n

/** Limits a grant to 1/16 of the free money, so that other servers get some, and little is idle near the limit. */
const grantDivisor = 16n

/**
 * Stores a server's report and grants more money. The spent money and the leases of all servers together never exceed the
 * limit. A lease of money does not expire: if a clock decided that it had, the money could be spent twice.
 * @param report creates the current report. At a later attempt the ledger can have more of the spending.
 * @param earlierSpending the spending from before the account was opened, read once for each period.
 */
export async function exchange(
  store: BudgetStore,
  budget: Budget,
  report: () => LeaseReport,
  earlierSpending: EarlierSpending,
): Promise<Grant> {
  const attempt = (openingSums?: OpeningSums) => {
    const reported = report()
    return store.db.exclusively(`budget ${budget.id}`, (tx, publish) =>
      exchangeInTransaction({ tx, publish, clock: store.clock }, budget, reported, openingSums),
    )
  }
  const first = await attempt()
  if (!('unopenedAt' in first)) return first
  // Outside a transaction, because a transaction may use the only connection.
  await earlierSpending.waitUntilReported()
  // Reports again, because the account starts with the sum of the ledger: a later report would count it twice.
  const second = await attempt()
  if (!('unopenedAt' in second)) return second
  const third = await attempt(await readOpeningSums(store.db, budget, second.unopenedAt, earlierSpending))
  if (!('unopenedAt' in third)) return third
  throw new Error(`The account of ${budget.id} could not be opened.`)
}

/**
 * Counts a report, grants money from what is free, and stores the lease of the server.
 * @param openingSums the sums with which to open the account of a new period; undefined at the first attempts.
 * @returns the database's time as `unopenedAt` if the account must be opened first, for which the sums are missing.
 */
async function exchangeInTransaction(
  { tx, publish, clock }: ExchangeTransaction,
  budget: Budget,
  report: LeaseReport,
  openingSums: OpeningSums | undefined,
): Promise<Grant | { unopenedAt: number }> {
  const { period, total, held } = report
  const stored = await readBudget(tx, clock, budget.id, period, thresholdOwner(budget.subject))
  const { at } = stored
  const isCurrentPeriod = periodOf(budget, at) === period
  const server = leaseHolder(report.server, budget)
  const ownLease = stored.leases.find((lease) => lease.server === server && lease.period === period)
  const reportedLease: Lease = { server, period, held, spent: total, renewedAt: at }
  const newSpending = uncountedSpending(report, ownLease)
  let spentBefore = stored.spent
  if (spentBefore === undefined && isCurrentPeriod) {
    if (!openingSums) {
      await countBeforeOpening(tx, budget, newSpending, reportedLease)
      return { unopenedAt: at }
    }
    spentBefore = await openPeriod(tx, budget, period, at, openingSums)
  }
  // The interval can change at any time, and back. Spending therefore counts in every open current period.
  if (newSpending > 0n) await addSpent(tx, budget.id, [period, ...periodsOfOtherIntervals(budget, at)], newSpending)
  const leases = sumLeases(budget, period, stored, ownLease)
  const spent = (spentBefore ?? 0n) + newSpending + leases.unaccounted
  const { granted, free } = grantMoney(budget, report, spent + leases.held + leases.unresponsive, isCurrentPeriod)
  await notifyOfLimit(tx, publish, budget, report, { stored, isCurrentPeriod, spent: spent + report.unwritten })
  const lease = { ...reportedLease, held: held + granted }
  // The lease ends only when the server knows that its spending was counted. Otherwise it would report it again.
  const isLeaseEnded = lease.held === 0n && total === report.confirmed
  if (!isLeaseEnded) await writeLease(tx, budget.id, lease)
  else if (ownLease) await deleteLease(tx, budget.id, lease)
  return {
    granted,
    free,
    heldByOthers: leases.held,
    heldByUnresponsive: leases.unresponsive,
    at,
    isCurrentPeriod,
    isLeaseEnded,
  }
}

/**
 * Counts spending of a period whose account is not open. The ledger has it, so it is marked as reported: the account will
 * start with the sum of the ledger.
 */
async function countBeforeOpening(tx: Tx, budget: Budget, newSpending: PicoUsd, lease: Lease): Promise<void> {
  if (newSpending === 0n) return
  await addSpent(tx, budget.id, periodsOfOtherIntervals(budget, lease.renewedAt), newSpending)
  await writeLease(tx, budget.id, lease)
}

/** Grants the needed money, or more for other requests, if so much is free. @param taken what is spent, or leased by others. */
function grantMoney(
  budget: Budget,
  report: LeaseReport,
  taken: PicoUsd,
  isCurrentPeriod: boolean,
): Pick<Grant, 'granted' | 'free'> {
  const { held, need } = report
  const freeBefore = minPico(budget.limit - taken, maxHeld) - held
  const isGranted = isCurrentPeriod && need > 0n && freeBefore >= need
  const granted = isGranted ? grantAmount(budget, report, freeBefore) : 0n
  return { granted, free: freeBefore - granted }
}

type CountedSpending = { stored: StoredBudget; isCurrentPeriod: boolean; spent: PicoUsd }

/** Queues webhook events if the spending has reached a threshold of the limit since the last report. */
async function notifyOfLimit(
  tx: Tx,
  publish: Publish,
  budget: Budget,
  { period, need }: LeaseReport,
  { stored, isCurrentPeriod, spent }: CountedSpending,
): Promise<void> {
  const { at, notified, thresholds = defaultThresholds } = stored
  const isRefused = isCurrentPeriod && need > budget.limit - spent
  const limitState = { period, at, spent, isRefused, notified, thresholds }
  if (crossesThreshold(budget, limitState)) await notifyThresholds(tx, publish, budget, limitState)
}

/** Returns the spending since the last stored report, even if the server did not get the answer to it. */
function uncountedSpending({ total, confirmed }: LeaseReport, ownLease: Lease | undefined): PicoUsd {
  // At the maximum of its column, the stored sum can be less than the reported one.
  const counted = ownLease && ownLease.spent < maxStorable ? ownLease.spent : confirmed
  return maxPico(total - counted, 0n)
}

function grantAmount({ limit }: Budget, { need, totalNeed }: LeaseReport, free: PicoUsd): PicoUsd {
  return maxPico(need, minPico(free / grantDivisor, maxPico(totalNeed, standbyAmount(limit))))
}

/** The sum of the ledger for a new period, and the sums of other intervals when the ledger was read. */
type OpeningSums = { spent: PicoUsd; others: Map<number, PicoUsd> }

async function readOpeningSums(
  db: Db,
  budget: Budget,
  at: number,
  earlierSpending: EarlierSpending,
): Promise<OpeningSums> {
  const others = await readSpendingOfPeriods(db.query, budget.id, periodsOfOtherIntervals(budget, at))
  return { spent: await earlierSpending.readLedger(), others }
}

/**
 * Opens the account of a period. Adds spending that was reported under another interval since the ledger was read. It may
 * be counted twice, which is safer than not at all. The sum is at least that of each current period inside this one.
 */
async function openPeriod(
  tx: Tx,
  budget: Budget,
  period: number,
  at: number,
  openingSums: OpeningSums,
): Promise<PicoUsd> {
  let missedAmount = 0n
  let innerPeriodSum = 0n
  for (const [otherPeriod, spent] of await readSpendingOfPeriods(tx, budget.id, periodsOfOtherIntervals(budget, at))) {
    missedAmount = maxPico(missedAmount, spent - (openingSums.others.get(otherPeriod) ?? spent))
    if (otherPeriod >= period) innerPeriodSum = maxPico(innerPeriodSum, spent)
  }
  const spent = maxPico(openingSums.spent + missedAmount, innerPeriodSum)
  await insertPeriod(tx, budget.id, period, spent)
  if (budget.interval === null) return spent
  await deleteOldLeases(tx, budget.id, period, at - retentionMs)
  await deleteOldNotifications(tx, budget.id, period, at - retentionMs)
  await deleteOldPeriods(tx, budget.id, dayOf(at - retentionMs))
  return spent
}

/** Longer than any period, so that older leases cannot count in a current one. */
const retentionMs = 40 * dayMs
