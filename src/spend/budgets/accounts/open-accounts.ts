import type { PicoUsd } from '#platform/core/pico-usd.ts'
import type { DatabaseClock } from '#platform/db/clock.ts'
import type { Db, Query } from '#platform/db/db.ts'
import type { Day } from '../../ledger/days.ts'
import { type Budget, type Period, periodOf, resetsAt } from '../budget.ts'
import type { DatabaseTime } from '../database-time.ts'
import { standbyAmount } from '../leases/grant.ts'
import { exchangeLease } from '../leases/lease-exchange.ts'
import { BudgetAccount, type Exchange } from './budget-account.ts'

/** Repeats work at an interval. @returns a function that stops it. */
export type Every = (ms: number, work: () => void) => () => void

export type AccountsDeps = {
  db: Db
  /** The clock of the database, which determines periods. */
  clock: DatabaseClock
  /** An estimate of the database's time between its responses. */
  time: DatabaseTime
  /** Names this server in its leases. */
  server: string
  /** Resolves when the ledger has stored everything recorded so far. */
  waitUntilWritten: () => Promise<void>
  /** Reads what a limit counts since a day from the ledger, for an account that is opened now. */
  readChargedSince: (budget: Budget, sinceDay: Day, query: Query) => Promise<PicoUsd>
  onError: (error: Error) => void
  every: Every
}

export type AccountTimes = {
  /** The maximum time that a request waits for money that other requests have reserved. */
  waitMs: number
  /** The maximum time that requests wait for a response of the database. */
  stallMs: number
  /** The interval of requesting money again for waiting requests. */
  pollMs: number
  /** The interval of reports. */
  reportMs: number
  /** An account without a reservation for this time returns all its available money. */
  idleMs: number
}

/** The account of a budget in one period. It is closed when it is idle. */
export type OpenAccount = { account: BudgetAccount; budget: Budget; isClosed: boolean }

/** The accounts of this server: one for each budget and period in use. */
export class OpenAccounts {
  readonly #deps: AccountsDeps
  readonly #times: AccountTimes
  readonly #accounts = new Map<string, OpenAccount>()
  /** Caches the account of each budget until its period ends, because most requests use a recent budget. */
  readonly #recentAccounts = new WeakMap<Budget, { open: OpenAccount; since: number; until: number }>()
  readonly #stopReporting: () => void
  #pendingReport: Promise<void> | undefined
  #ledgerWait: Promise<void> | undefined
  #stopPolling: (() => void) | undefined

  constructor(deps: AccountsDeps, times: AccountTimes) {
    this.#deps = deps
    this.#times = times
    this.#stopReporting = deps.every(times.reportMs, () => void this.report())
  }

  /** Returns the account of a budget, opened if necessary. @param at a time in the period. */
  accountOf(budget: Budget, at: number): OpenAccount {
    const existing = this.#recentAccounts.get(budget)
    // If another `Budget` object has used the account since, the account is looked up again, so that a lower limit revokes
    // leased money.
    if (existing?.open.budget === budget && !existing.open.isClosed && at >= existing.since && at < existing.until)
      return existing.open
    const open = this.#findOrOpen(budget, periodOf(budget, at))
    this.#recentAccounts.set(budget, { open, since: at, until: endOfPeriod(budget, at) })
    return open
  }

  #findOrOpen(budget: Budget, period: Period): OpenAccount {
    const key = `${budget.id} ${budget.interval} ${period}`
    const existing = this.#accounts.get(key)
    if (existing) {
      // Limits can alternate while requests from before a change are in flight.
      if (budget.limit < existing.budget.limit) existing.account.revoke()
      existing.budget = budget
      return existing
    }
    const exchange: Exchange = (report, limit) => this.#exchange(open, period, report, limit)
    const account = new BudgetAccount({ exchange, ...this.#times, elapsed: this.#deps.time.elapsed })
    const open: OpenAccount = { budget, isClosed: false, account }
    this.#accounts.set(key, open)
    return open
  }

  /** Reports spending and leases more money. @param limit that of the waiting request; undefined if none waits. */
  async #exchange(
    open: OpenAccount,
    period: Period,
    report: Parameters<Exchange>[0],
    limit: PicoUsd | undefined,
  ): ReturnType<Exchange> {
    const { time, server, readChargedSince } = this.#deps
    const budget = limit === undefined ? open.budget : { ...open.budget, limit }
    const earlierSpending = {
      waitUntilReported: () => this.#reportOlderAccounts(open),
      readLedger: (query: Query) => readChargedSince(budget, period, query),
    }
    const sentAt = time.elapsed()
    const response = await exchangeLease(this.#deps, budget, () => ({ server, period, ...report() }), earlierSpending)
    time.adjust(response.at, sentAt)
    return response
  }

  /**
   * Reports the spending of older accounts of a budget before a new period starts. When the interval of a budget changes, its
   * older account can still hold unreported spending. A new period starts with the sum of the ledger, which contains that
   * spending: a later report would count it twice. Only accounts that were opened before
   * this one are reported, so that two accounts never wait for each other.
   */
  async #reportOlderAccounts(newer: OpenAccount): Promise<void> {
    // Requests that no account has counted are also part of the sum.
    await this.#deps.waitUntilWritten()
    await this.#waitForLedger()
    for (const open of this.#accounts.values()) {
      if (open === newer) return
      if (open.budget.id === newer.budget.id) await open.account.reportUnused()
    }
  }

  /** Reports spending and returns idle money. */
  report(): Promise<void> {
    this.#pendingReport ??= this.#reportAll().finally(() => {
      this.#pendingReport = undefined
    })
    return this.#pendingReport
  }

  async #reportAll(): Promise<void> {
    await this.#waitForLedgerInTime()
    const at = this.#deps.time.now()
    for (const [key, open] of this.#accounts) {
      const { account, budget } = open
      if (account.isIdle) {
        open.isClosed = true
        this.#accounts.delete(key)
        continue
      }
      const isInUse = at - account.usedAt < this.#times.idleMs
      const reported = isInUse ? account.reportInUse(standbyAmount(budget.limit)) : account.reportUnused()
      await reported.catch((error) => this.#logError(error))
    }
  }

  /** Waits at most until the next report, so that a blocked ledger does not let leases expire. */
  #waitForLedgerInTime(): Promise<void> {
    this.#ledgerWait ??= this.#waitForLedger()
      .catch((error) => this.#logError(error))
      .finally(() => {
        this.#ledgerWait = undefined
      })
    const { promise, resolve } = Promise.withResolvers<void>()
    // The first call of the interval ends the wait.
    const stopTimer = this.#deps.every(this.#times.reportMs, resolve)
    void this.#ledgerWait.then(resolve)
    return promise.finally(stopTimer)
  }

  /** Waits until the ledger has stored all spending, which is required before a report. */
  async #waitForLedger(): Promise<void> {
    const unwrittenAccounts = [...this.#accounts.values()].filter(({ account }) => account.spending.unwritten > 0n)
    if (unwrittenAccounts.length === 0) return
    const recordedAmounts = unwrittenAccounts.map(({ account }) => ({ account, amount: account.spending.recorded }))
    await this.#deps.waitUntilWritten()
    for (const { account, amount } of recordedAmounts) account.spending.noteWritten(amount)
  }

  /** Serves waiting requests while there are any, so that an idle server does not wake up. */
  keepPolling(): void {
    this.#stopPolling ??= this.#deps.every(this.#times.pollMs, () => {
      const accountsWithWaiting = [...this.#accounts.values()].filter(({ account }) => account.hasWaiting)
      for (const { account } of accountsWithWaiting) this.#poll(account)
      if (accountsWithWaiting.length > 0) return
      this.#stopPolling?.()
      this.#stopPolling = undefined
    })
  }

  #poll(account: BudgetAccount): void {
    account.failStalled()
    account.serve().catch((error) => {
      account.failWaiting(error)
      this.#logError(error)
    })
  }

  async close(): Promise<void> {
    this.#stopPolling?.()
    this.#stopReporting()
    await this.#pendingReport
    await this.#waitForLedger().catch((error) => this.#logError(error))
    for (const { account } of this.#accounts.values()) await account.close().catch((error) => this.#logError(error))
  }

  #logError(error: unknown): void {
    this.#deps.onError(error as Error)
  }
}

/** The end of the period that contains `at`; infinity if it never resets. */
export function endOfPeriod(budget: Budget, at: number): number {
  return resetsAt(budget, at) ?? Number.POSITIVE_INFINITY
}
