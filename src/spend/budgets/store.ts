import { maxStorable, type PicoUsd } from '#platform/core/pico-usd.ts'
import type { DatabaseClock } from '#platform/db/clock.ts'
import type { Db, Tx } from '#platform/db/db.ts'
import type { Announce } from '#platform/db/signals.ts'
import { dayOf } from '../ledger/days.ts'
import { type Budget, periodOf, periodsOfOtherIntervals } from './budget.ts'
import { leasedOf, leaseHolder } from './leases.ts'
import { crossesThreshold, notifyThresholds } from './notify-thresholds.ts'
import {
  addSpent,
  deleteLease,
  deleteOldLeases,
  deleteOldNotifications,
  deleteOldPeriods,
  insertPeriod,
  type Lease,
  readBudget,
  readSpent,
  writeLease,
} from './rows.ts'
import { defaultThresholds, thresholdOwner } from './thresholds.ts'

export type BudgetStore = { db: Db; clock: DatabaseClock }

/**
 * A server's report and request for money. A repeated report counts once, because it has the total.
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
  /** The part of it that is spent and not in the total yet. */
  unwritten: PicoUsd
  /** The minimum amount to grant; 0 for none. */
  need: PicoUsd
  /** The amount for all waiting requests. */
  wanted: PicoUsd
}

export type Grant = {
  granted: PicoUsd
  /** The money that no server holds after the grant. */
  free: PicoUsd
  /** The money held by other servers that still report: some of it may return. */
  others: PicoUsd
  /** The money held by servers that have not reported for some seconds. */
  silent: PicoUsd
  /** The database's time. */
  at: number
  /** Whether the period is the current one, by the database's clock. Other periods get no grant. */
  current: boolean
  /** Whether the server holds nothing and all of its spending is confirmed. */
  ended: boolean
}

/** Nine million USD, near the maximum of a column. Under a higher limit servers request money more often. */
const maxHeld = 9n * 10n ** 18n

/** Reads the spending of a budget from before the period's account was opened. */
export type EarlierSpending = {
  /** Resolves when the ledger has all spending of this server, and spending under other intervals is reported. */
  settled: () => Promise<void>
  /** The spending in the ledger. */
  spent: () => Promise<PicoUsd>
}

/** The maximum that a server keeps available for later requests. If it is killed, this amount stays charged. */
export const readyOf = (limit: PicoUsd): PicoUsd => limit / 100n

/** A grant is at most 1/16 of the remaining money, so that several servers can work and little is idle at the end. */
const grantDivisor = 16n

/**
 * Takes a server's report and grants it more money within the limit: the money spent and the money held by all servers
 * together never exceed it. A server holds money until it returns it, however long that takes, so that no clock decides
 * whether money is spent twice.
 * @param report creates the current report. At a later attempt the ledger can have more of the spending.
 * @param earlier the spending from before the account was opened, read once for each period.
 */
export async function exchange(
  store: BudgetStore,
  budget: Budget,
  report: () => LeaseReport,
  earlier: EarlierSpending,
): Promise<Grant> {
  const attempt = (start?: Start) => {
    const reported = report()
    return store.db.exclusively(`budget ${budget.id}`, (tx, announce) =>
      exchangeIn(tx, announce, store.clock, budget, reported, start),
    )
  }
  const first = await attempt()
  if (!('unopened' in first)) return first
  // Read outside the transaction, which may use the only connection.
  await earlier.settled()
  // Reports again, because the account starts with the sum of the ledger: a later report would count it twice.
  const second = await attempt()
  if (!('unopened' in second)) return second
  const third = await attempt(await startOf(store.db, budget, second.unopened, earlier))
  if (!('unopened' in third)) return third
  throw new Error(`The account of ${budget.id} could not be opened.`)
}

async function exchangeIn(
  tx: Tx,
  announce: Announce,
  clock: DatabaseClock,
  budget: Budget,
  report: LeaseReport,
  start: Start | undefined,
): Promise<Grant | { unopened: number }> {
  const stored = await readBudget(tx, clock, budget.id, report.period, thresholdOwner(budget.subject))
  const { at } = stored
  const current = periodOf(budget, at) === report.period
  const server = leaseHolder(report.server, budget)
  const mine = stored.leases.find((lease) => lease.server === server && lease.period === report.period)
  const newSpending = newSpendingOf(report, mine)
  const { period, total, held } = report
  if (current && stored.spent === undefined && !start) {
    // The ledger has this spending. It must not count again when the account starts with the sum of the ledger.
    if (newSpending > 0n) {
      await addSpent(tx, budget.id, periodsOfOtherIntervals(budget, at), newSpending)
      await writeLease(tx, budget.id, { server, period, held, spent: total, renewedAt: at })
    }
    return { unopened: at }
  }
  const before = stored.spent ?? (current ? await openPeriod(tx, budget, period, at, start!) : 0n)
  // The interval can change at any time, and back. Spending therefore counts in every open current period.
  if (newSpending > 0n) await addSpent(tx, budget.id, [period, ...periodsOfOtherIntervals(budget, at)], newSpending)
  const { held: others, silent, charged } = leasedOf(budget, report.period, stored, mine)
  const free = smaller(budget.limit - before - newSpending - others - silent - charged, maxHeld) - report.held
  const granted = current && report.need > 0n && free >= report.need ? grantOf(budget, report, free) : 0n
  const spent = before + newSpending + charged + report.unwritten
  const level = {
    period,
    at,
    spent,
    isRefused: current && report.need > budget.limit - spent,
    notified: stored.notified,
    thresholds: stored.thresholds ?? defaultThresholds,
  }
  if (crossesThreshold(budget, level)) await notifyThresholds(tx, announce, budget, level)
  const lease = { server, period, held: held + granted, spent: total, renewedAt: at }
  // The row is deleted only when the server knows that all was counted. Otherwise it would report it again.
  const ended = lease.held === 0n && total === report.confirmed
  if (!ended) await writeLease(tx, budget.id, lease)
  else if (mine) await deleteLease(tx, budget.id, lease)
  return { granted, free: free - granted, others, silent, at, current, ended }
}

const smaller = (a: bigint, b: bigint) => (a < b ? a : b)
const larger = (a: bigint, b: bigint) => (a > b ? a : b)

/** The spending since the last report that arrived, whether or not its answer did. */
function newSpendingOf({ total, confirmed }: LeaseReport, mine: Lease | undefined): PicoUsd {
  const counted = mine && mine.spent < maxStorable ? mine.spent : confirmed
  return larger(total - counted, 0n)
}

function grantOf({ limit }: Budget, { need, wanted }: LeaseReport, free: PicoUsd): PicoUsd {
  return larger(need, smaller(free / grantDivisor, larger(wanted, readyOf(limit))))
}

/** The initial sum of a period, by the ledger, and the sums of other intervals just before. */
type Start = { spent: PicoUsd; others: Map<number, PicoUsd> }

async function startOf(db: Db, budget: Budget, at: number, earlier: EarlierSpending): Promise<Start> {
  const others = await readSpent(db.query, budget.id, periodsOfOtherIntervals(budget, at))
  return { spent: await earlier.spent(), others }
}

/**
 * Opens the account of a period. Spending that was reported under another interval since the ledger was read can be
 * missing, so it is added: counting twice is safer than not at all. A period also has at least the spending of each current
 * period within it.
 */
async function openPeriod(tx: Tx, budget: Budget, period: number, at: number, start: Start): Promise<PicoUsd> {
  let meanwhile = 0n
  let within = 0n
  for (const [other, spent] of await readSpent(tx, budget.id, periodsOfOtherIntervals(budget, at))) {
    meanwhile = larger(meanwhile, spent - (start.others.get(other) ?? spent))
    if (other >= period) within = larger(within, spent)
  }
  const spent = larger(start.spent + meanwhile, within)
  await insertPeriod(tx, budget.id, period, spent)
  if (budget.interval === null) return spent
  await deleteOldLeases(tx, budget.id, period, at - retentionMs)
  await deleteOldNotifications(tx, budget.id, period, at - retentionMs)
  await deleteOldPeriods(tx, budget.id, dayOf(at - retentionMs))
  return spent
}

/** Longer than any period, so that older leases cannot count in a current one. */
const retentionMs = 40 * 86_400_000
