import { maxPico, maxStorable, type PicoUsd } from '#platform/core/pico-usd.ts'
import type { DatabaseClock } from '#platform/db/clock.ts'
import type { Db, Tx } from '#platform/db/db.ts'
import type { Publish } from '#platform/db/signals.ts'
import { type Budget, isPersistent, type Period, periodOf, periodsOfOtherIntervals } from '../budget.ts'
import { crossesThreshold, notifyThresholds } from '../notify-thresholds.ts'
import { deleteLease, type Lease, writeLease } from '../rows/lease-rows.ts'
import { addSpent } from '../rows/spending-rows.ts'
import { readBudget, type StoredBudget } from '../rows/stored-budget.ts'
import { defaultThresholds, thresholdOwner } from '../thresholds.ts'
import { computeGrant } from './grant.ts'
import { leaseHolder, sumLeases } from './leases.ts'
import { openPeriod, type ReadLedger } from './open-period.ts'

type BudgetStore = { db: Db; clock: DatabaseClock }

/**
 * A server's report and its request for money. A repeated report counts once, because it has the total spending.
 */
export type LeaseReport = {
  server: string
  period: Period
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

/** The account of the current period must be opened first. @property at the database's time. */
type UnopenedAccount = { isUnopened: true; at: number }

/** Reads the spending of a budget from before the period's account was opened. */
type EarlierSpending = {
  /** Resolves when the ledger has all spending of this server, and spending under other intervals is reported. */
  waitUntilReported: () => Promise<void>
  readLedger: ReadLedger
}

/**
 * Stores a server's report and grants more money. The spent money and the leases of all servers together never exceed the
 * limit. A lease of money does not expire: if a clock decided that it had, the money could be spent twice.
 * @param createReport creates the current report. At a later attempt the ledger can have more of the spending.
 * @param earlierSpending the spending from before the account was opened, read once for each period.
 */
export async function exchangeLease(
  store: BudgetStore,
  budget: Budget,
  createReport: () => LeaseReport,
  earlierSpending: EarlierSpending,
): Promise<Grant> {
  const attempt = (readLedger?: ReadLedger) => exchangeOnce(store, budget, createReport(), readLedger)
  const first = await attempt()
  if (!('isUnopened' in first)) return first
  // Outside a transaction, because a transaction may use the only connection.
  await earlierSpending.waitUntilReported()
  // Reports again, because the account starts with the sum of the ledger: a later report would count it twice.
  const second = await attempt()
  if (!('isUnopened' in second)) return second
  const { readLedger } = earlierSpending
  // The sums of turns and sessions have no unconfirmed amounts, and reading them can need another transaction.
  const turnSpending = isPersistent(budget.subject) ? undefined : await readLedger(store.db.query)
  const third = await attempt(turnSpending === undefined ? readLedger : async () => turnSpending)
  if (!('isUnopened' in third)) return third
  throw new Error(`The account of ${budget.id} could not be opened.`)
}

/**
 * Counts a report, grants money from what is free, and stores the lease of the server, in one transaction.
 * @param readLedger reads the sum with which to open the account of a new period; undefined at the first attempts.
 */
function exchangeOnce(
  { db, clock }: BudgetStore,
  budget: Budget,
  report: LeaseReport,
  readLedger: ReadLedger | undefined,
): Promise<Grant | UnopenedAccount> {
  return db.exclusively(`budget ${budget.id}`, async (tx, publish) => {
    const state = await readState(tx, clock, budget, report)
    const { at, isCurrentPeriod } = state
    const counted = await countSpending({ db, tx }, budget, state, readLedger)
    if (counted === undefined) return { isUnopened: true, at }
    const others = sumLeases(budget, report.period, state.stored, state.ownLease)
    const spent = counted + others.unaccounted
    await notifyOfLimit(tx, publish, budget, state, spent + report.unwritten)
    const taken = spent + others.held + others.unresponsive
    const need = isCurrentPeriod ? report.need : 0n
    const { granted, free } = computeGrant({ ...report, limit: budget.limit, taken, need })
    return {
      granted,
      free,
      heldByOthers: others.held,
      heldByUnresponsive: others.unresponsive,
      at,
      isCurrentPeriod,
      isLeaseEnded: await storeLease(tx, budget, state, granted),
    }
  })
}

/** A report, and what is stored of its budget. */
type ExchangeState = {
  report: LeaseReport
  stored: StoredBudget
  /** The database's time. */
  at: number
  isCurrentPeriod: boolean
  /** The stored lease of the server that reports. */
  ownLease: Lease | undefined
}

async function readState(tx: Tx, clock: DatabaseClock, budget: Budget, report: LeaseReport): Promise<ExchangeState> {
  const owner = isPersistent(budget.subject) ? thresholdOwner(budget.subject) : undefined
  const stored = await readBudget(tx, clock, budget.id, report.period, owner)
  const holder = leaseHolder(report.server, budget)
  return {
    report,
    stored,
    at: stored.at,
    isCurrentPeriod: periodOf(budget, stored.at) === report.period,
    ownLease: stored.leases.find((lease) => lease.holder === holder && lease.period === report.period),
  }
}

/**
 * Counts the new spending of a report, and opens the account of a current period if necessary.
 * @returns the spending of the period; undefined if the account must be opened, and `readLedger` is missing.
 */
async function countSpending(
  { db, tx }: { db: Db; tx: Tx },
  budget: Budget,
  state: ExchangeState,
  readLedger: ReadLedger | undefined,
): Promise<PicoUsd | undefined> {
  const { stored, report, at, isCurrentPeriod } = state
  const newSpending = uncountedSpending(state)
  // The interval can change at any time, and back. Spending therefore counts in every open current period.
  const otherPeriods = periodsOfOtherIntervals(budget, at)
  const mustOpen = stored.spent === undefined && isCurrentPeriod
  if (mustOpen && !readLedger) {
    // The account will start with the sum of the ledger, which has this spending, so it counts as reported.
    if (newSpending > 0n) {
      await addSpent(tx, budget.id, otherPeriods, newSpending)
      await writeLease(tx, budget.id, reportedLease(budget, state))
    }
    return undefined
  }
  const spentBefore =
    mustOpen && readLedger ? await openPeriod({ db, tx }, budget, report.period, at, readLedger) : stored.spent
  if (newSpending > 0n) await addSpent(tx, budget.id, [report.period, ...otherPeriods], newSpending)
  return (spentBefore ?? 0n) + newSpending
}

/** Returns the spending since the last stored report, even if the server did not get the response to it. */
function uncountedSpending({ report: { total, confirmed }, ownLease }: ExchangeState): PicoUsd {
  // At the maximum of its column, the stored sum can be less than the reported one.
  const counted = ownLease && ownLease.spent < maxStorable ? ownLease.spent : confirmed
  return maxPico(total - counted, 0n)
}

function reportedLease(budget: Budget, { report: { server, period, held, total }, at }: ExchangeState): Lease {
  return { holder: leaseHolder(server, budget), period, held, spent: total, renewedAt: at }
}

/** Stores the lease of the server with the granted money, or ends it. @returns whether it has ended. */
async function storeLease(tx: Tx, budget: Budget, state: ExchangeState, granted: PicoUsd): Promise<boolean> {
  const { report, ownLease } = state
  const lease = reportedLease(budget, state)
  const held = lease.held + granted
  // The lease ends only when the server knows that its spending was counted. Otherwise it would report it again.
  const isEnded = held === 0n && report.total === report.confirmed
  if (!isEnded) await writeLease(tx, budget.id, { ...lease, held })
  else if (ownLease) await deleteLease(tx, budget.id, ownLease)
  return isEnded
}

/** Queues webhook events if the spending has reached a threshold of the limit since the last report. */
async function notifyOfLimit(
  tx: Tx,
  publish: Publish,
  budget: Budget,
  { report: { period, need }, stored, at, isCurrentPeriod }: ExchangeState,
  spent: PicoUsd,
): Promise<void> {
  const { notifiedThresholds, thresholds = defaultThresholds } = stored
  const isRefused = isCurrentPeriod && need > budget.limit - spent
  const limitState = { period, at, spent, isRefused, notifiedThresholds, thresholds }
  if (crossesThreshold(budget, limitState)) await notifyThresholds(tx, publish, budget, limitState)
}
