import { mostKept, type PicoUsd } from '#platform/core/pico-usd.ts'
import type { DatabaseClock } from '#platform/db/clock.ts'
import type { Db, Tx } from '#platform/db/db.ts'
import type { Announce } from '#platform/db/signals.ts'
import { dayOf } from '../ledger/days.ts'
import { type Budget, periodOf, periodsOfOthers } from './budget.ts'
import { leasedOf, leaseHolder } from './leases.ts'
import { crossesThreshold, notifyThresholds } from './notify-thresholds.ts'
import {
  addSpent,
  deleteLease,
  deleteOldLeases,
  deleteOldPeriods,
  deleteOldTold,
  insertPeriod,
  type Lease,
  readBudget,
  readSpent,
  writeLease,
} from './rows.ts'

export type BudgetStore = { db: Db; clock: DatabaseClock }

/**
 * A server's report and request for money. A report that arrives twice counts once, because it always names the total.
 */
export type LeaseReport = {
  server: string
  period: number
  /** Spent in all since the account was opened. */
  total: PicoUsd
  /** The part of the total that the database has confirmed. */
  confirmed: PicoUsd
  /** The money that the server holds now, for requests under way and for later ones. */
  held: PicoUsd
  /** The part of it that is spent, and not in the total yet. */
  unwritten: PicoUsd
  /** At least so much more; 0 to ask for nothing. */
  need: PicoUsd
  /** The amount that would be enough for all waiting requests. */
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
  /** Whether the period is the running one, by the database's clock. Nothing is granted for another period. */
  current: boolean
  /** Whether the server holds nothing any more, and all of its spending is confirmed. */
  ended: boolean
}

/** Nine million USD: a column holds little more. Above such limits a server just asks more often. */
const mostHeld = 9n * 10n ** 18n

/** Reads the spending of a budget from before the period's account was opened. */
export type EarlierSpending = {
  /** Resolves when all that this server spent is in the ledger, and what it spent under other intervals is reported. */
  settled: () => Promise<void>
  /** The spending that the ledger has. */
  spent: () => Promise<PicoUsd>
}

/** The most money that a server keeps for later requests. If the server is killed, this much stays charged. */
export const readyOf = (limit: PicoUsd): PicoUsd => limit / 100n

/** A part of what is left, so that several servers can work at once and little lies idle at the end. */
const shareOfRest = 16n

/**
 * Takes a server's report and grants it more money within the limit: the money spent and the money held by all servers
 * together never exceed it. A server keeps the money that it holds until it gives it back, however long that takes, so
 * that no clock decides whether money is spent twice.
 * @param report what the server reports now; for a later attempt the ledger may have more of its spending.
 * @param earlier the spending from before the account was opened, read once for each period.
 */
export async function exchange(
  store: BudgetStore,
  budget: Budget,
  report: () => LeaseReport,
  earlier: EarlierSpending,
): Promise<Grant> {
  const attempt = (start?: Start) => {
    const said = report()
    return store.db.exclusively(`budget ${budget.id}`, (tx, announce) =>
      exchangeIn(tx, announce, store.clock, budget, said, start),
    )
  }
  const first = await attempt()
  if (!('unbegun' in first)) return first
  // Asked outside the transaction, which may hold the only connection.
  await earlier.settled()
  // The ledger has more by now, with which the account begins: said afterwards, that would count twice.
  const second = await attempt()
  if (!('unbegun' in second)) return second
  const third = await attempt(await startOf(store.db, budget, second.unbegun, earlier))
  if (!('unbegun' in third)) return third
  throw new Error(`The account of ${budget.id} could not be begun.`)
}

async function exchangeIn(
  tx: Tx,
  announce: Announce,
  clock: DatabaseClock,
  budget: Budget,
  report: LeaseReport,
  start: Start | undefined,
): Promise<Grant | { unbegun: number }> {
  const kept = await readBudget(tx, clock, budget.id, report.period)
  const { at } = kept
  const current = periodOf(budget, at) === report.period
  const server = leaseHolder(report.server, budget)
  const mine = kept.leases.find((lease) => lease.server === server && lease.period === report.period)
  const fresh = freshOf(report, mine)
  const { period, total, held } = report
  if (current && kept.spent === undefined && !start) {
    // This spending is in the ledger already. It must not count again when the account begins with the ledger's sum.
    if (fresh > 0n) {
      await addSpent(tx, budget.id, periodsOfOthers(budget, at), fresh)
      await writeLease(tx, budget.id, { server, period, held, spent: total, renewedAt: at })
    }
    return { unbegun: at }
  }
  const before = kept.spent ?? (current ? await begin(tx, budget, period, at, start!) : 0n)
  // The interval may have been changed, here or unknown to this server, and may be changed back: what is spent counts in
  // every period that was begun and runs now.
  if (fresh > 0n) await addSpent(tx, budget.id, [period, ...periodsOfOthers(budget, at)], fresh)
  const { held: others, silent, charged } = leasedOf(budget, report.period, kept, mine)
  const free = smaller(budget.limit - before - fresh - others - silent - charged, mostHeld) - report.held
  const granted = current && report.need > 0n && free >= report.need ? grantOf(budget, report, free) : 0n
  const spent = before + fresh + charged + report.unwritten
  const level = { period, at, spent, isRefused: current && report.need > budget.limit - spent, notified: kept.notified }
  if (crossesThreshold(budget, level)) await notifyThresholds(tx, announce, budget, level)
  const lease = { server, period, held: held + granted, spent: total, renewedAt: at }
  // Its holder must know that all was taken before the row may go: else it would say it once more.
  const ended = lease.held === 0n && total === report.confirmed
  if (!ended) await writeLease(tx, budget.id, lease)
  else if (mine) await deleteLease(tx, budget.id, lease)
  return { granted, free: free - granted, others, silent, at, current, ended }
}

const smaller = (a: bigint, b: bigint) => (a < b ? a : b)
const larger = (a: bigint, b: bigint) => (a > b ? a : b)

/** The spending since the last report that arrived. It does not matter whether the answer to that report arrived. */
function freshOf({ total, confirmed }: LeaseReport, mine: Lease | undefined): PicoUsd {
  const known = mine && mine.spent < mostKept ? mine.spent : confirmed
  return larger(total - known, 0n)
}

function grantOf({ limit }: Budget, { need, wanted }: LeaseReport, free: PicoUsd): PicoUsd {
  return larger(need, smaller(free / shareOfRest, larger(wanted, readyOf(limit))))
}

/** The amount that a period begins with, by the ledger, and the accounts of other intervals as read just before. */
type Start = { spent: PicoUsd; others: Map<number, PicoUsd> }

async function startOf(db: Db, budget: Budget, at: number, earlier: EarlierSpending): Promise<Start> {
  const others = await readSpent(db.query, budget.id, periodsOfOthers(budget, at))
  return { spent: await earlier.spent(), others }
}

/**
 * Opens the account of a period. Spending that was reported under another interval since the ledger was read may be
 * missing in both sums. So it counts here too: rather twice than not at all. And a period has at least the spending of
 * each running period within it.
 */
async function begin(tx: Tx, budget: Budget, period: number, at: number, start: Start): Promise<PicoUsd> {
  let [meanwhile, within] = [0n, 0n]
  for (const [other, spent] of await readSpent(tx, budget.id, periodsOfOthers(budget, at))) {
    meanwhile = larger(meanwhile, spent - (start.others.get(other) ?? spent))
    if (other >= period) within = larger(within, spent)
  }
  const spent = larger(start.spent + meanwhile, within)
  await insertPeriod(tx, budget.id, period, spent)
  if (budget.interval === null) return spent
  await deleteOldLeases(tx, budget.id, period, at - keptMs)
  await deleteOldTold(tx, budget.id, period, at - keptMs)
  await deleteOldPeriods(tx, budget.id, dayOf(at - keptMs))
  return spent
}

/** Longer than any period: after it what nobody accounted for can be charged to none that runs. */
const keptMs = 40 * 86_400_000
