import type { PicoUsd } from '#platform/core/pico-usd.ts'
import type { DatabaseClock } from '#platform/db/clock.ts'
import type { Db } from '#platform/db/db.ts'
import { type Budget, periodOf, resetsAt } from './budget.ts'
import { BudgetAccount, type Exchange } from './budget-account.ts'
import type { DatabaseTime } from './database-time.ts'
import { exchange, readyOf } from './store.ts'

/** Does some work again and again. @returns the way to end that. */
export type Every = (ms: number, work: () => void) => () => void

export type AccountsDeps = {
  db: Db
  /** The clock of the database, by which periods begin and end. */
  clock: DatabaseClock
  time: DatabaseTime
  /** Names this server in its leases. */
  server: string
  /** Resolves when the ledger has everything that was recorded until now. */
  written: () => Promise<void>
  /** The spending of a budget's subjects since a day, before the budget was accounted for. */
  spentBefore: (budget: Budget, sinceDay: number) => Promise<PicoUsd>
  onError: (error: Error) => void
  every: Every
}

export type AccountTimes = Record<'waitMs' | 'stallMs' | 'pollMs' | 'reportMs' | 'idleMs', number>

/** The account of a budget in one period, which is open until nothing of it is held or owed any more. */
export type OpenAccount = { account: BudgetAccount; budget: Budget; closed: boolean }

/** The accounts that this server keeps: one for each budget and period in use. */
export class OpenAccounts {
  readonly #deps: AccountsDeps
  readonly #times: AccountTimes
  readonly #accounts = new Map<string, OpenAccount>()
  /** One and the same budget has one and the same account until its period ends. */
  readonly #recent = new WeakMap<Budget, { open: OpenAccount; since: number; until: number }>()
  readonly #endReporting: () => void
  #reporting: Promise<void> | undefined
  #writing: Promise<void> | undefined
  #endPolling: (() => void) | undefined

  constructor(deps: AccountsDeps, times: AccountTimes) {
    this.#deps = deps
    this.#times = times
    this.#endReporting = deps.every(times.reportMs, () => void this.report())
  }

  /** @param at the time, of the period that is asked for. */
  of(budget: Budget, at: number): OpenAccount {
    const known = this.#recent.get(budget)
    if (known?.open.budget === budget && !known.open.closed && at >= known.since && at < known.until) return known.open
    const open = this.#find(budget, periodOf(budget, at))
    this.#recent.set(budget, { open, since: at, until: endOfPeriod(budget, at) })
    return open
  }

  #find(budget: Budget, period: number): OpenAccount {
    const key = `${budget.id} ${budget.interval} ${period}`
    const known = this.#accounts.get(key)
    if (known) {
      // Also back and forth, while requests that came before a change are under way.
      if (budget.limit < known.budget.limit) known.account.revoke()
      known.budget = budget
      return known
    }
    const exchange: Exchange = (report, limit) => this.#exchange(open, period, report, limit)
    const account = new BudgetAccount({ exchange, ...this.#times, elapsed: this.#deps.time.elapsed })
    const open: OpenAccount = { budget, closed: false, account }
    this.#accounts.set(key, open)
    return open
  }

  async #exchange(open: OpenAccount, period: number, ...[report, limit]: Parameters<Exchange>): ReturnType<Exchange> {
    const { time, server, spentBefore } = this.#deps
    const budget = limit === undefined ? open.budget : { ...open.budget, limit }
    const earlier = { settled: () => this.#reportOlder(open), spent: () => spentBefore(budget, period) }
    const askedAt = time.elapsed()
    const answer = await exchange(this.#deps, budget, () => ({ server, period, ...report() }), earlier)
    time.heard(answer.at, askedAt)
    return answer
  }

  /**
   * Reports the spending under earlier intervals before a new period begins. A new period starts with the sum of the
   * ledger, which contains that spending: a later report would count it twice. Only accounts that were opened before
   * this one are reported, so that no two wait for each other.
   */
  async #reportOlder(newer: OpenAccount): Promise<void> {
    await this.#write()
    for (const open of this.#accounts.values()) {
      if (open === newer) return
      if (open.budget.id === newer.budget.id) await open.account.report(false, 0n)
    }
  }

  /** Reports what was spent; what is idle is given back. */
  report(): Promise<void> {
    this.#reporting ??= this.#reportAll().finally(() => {
      this.#reporting = undefined
    })
    return this.#reporting
  }

  async #reportAll(): Promise<void> {
    await this.#writeInTime()
    const at = this.#deps.time.now()
    for (const [key, open] of this.#accounts) {
      const { account, budget } = open
      if (account.isIdle) {
        open.closed = true
        this.#accounts.delete(key)
        continue
      }
      const inUse = at - account.usedAt < this.#times.idleMs
      await account.report(inUse, readyOf(budget.limit)).catch((error) => this.#tell(error))
    }
  }

  /** Waits until the next report at the most: a ledger that stands still must not let leases run out. */
  #writeInTime(): Promise<void> {
    this.#writing ??= this.#write()
      .catch((error) => this.#tell(error))
      .finally(() => {
        this.#writing = undefined
      })
    const { promise, resolve } = Promise.withResolvers<void>()
    const end = this.#deps.every(this.#times.reportMs, resolve)
    void this.#writing.then(resolve)
    return promise.finally(end)
  }

  /** Waits until the ledger has all that was spent: only then may it be reported. */
  async #write(): Promise<void> {
    const unwritten = [...this.#accounts.values()].filter(({ account }) => account.spending.unwritten > 0n)
    if (unwritten.length === 0) return
    const spent = unwritten.map(({ account }) => ({ account, amount: account.spending.recorded }))
    await this.#deps.written()
    for (const { account, amount } of spent) account.spending.wrote(amount)
  }

  /** Serves those who wait, for as long as somebody does: a server with nothing to do should sleep. */
  keepPolling(): void {
    this.#endPolling ??= this.#deps.every(this.#times.pollMs, () => {
      const waited = [...this.#accounts.values()].filter(({ account }) => account.isWaited)
      for (const { account } of waited) this.#poll(account)
      if (waited.length > 0) return
      this.#endPolling?.()
      this.#endPolling = undefined
    })
  }

  #poll(account: BudgetAccount): void {
    account.giveUpStalled()
    account.serve().catch((error) => {
      account.giveUp(error)
      this.#tell(error)
    })
  }

  async close(): Promise<void> {
    this.#endPolling?.()
    this.#endReporting()
    await this.#reporting
    await this.#write().catch((error) => this.#tell(error))
    for (const { account } of this.#accounts.values()) await account.close().catch((error) => this.#tell(error))
  }

  #tell(error: unknown): void {
    this.#deps.onError(error as Error)
  }
}

/** When the period that holds `at` ends; never, where it is not repeated. */
export function endOfPeriod(budget: Budget, at: number): number {
  return resetsAt(budget, at) ?? Number.POSITIVE_INFINITY
}
