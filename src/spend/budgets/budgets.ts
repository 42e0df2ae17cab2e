import type { Now } from '#platform/core/clock.ts'
import type { NewId } from '#platform/core/id.ts'
import type { PicoUsd } from '#platform/core/pico-usd.ts'
import {
  type AccountsDeps,
  type AccountTimes,
  type Every,
  endOfPeriod,
  type OpenAccount,
  OpenAccounts,
} from './accounts/open-accounts.ts'
import type { ReserveOutcome } from './accounts/waiting-requests.ts'
import { type Budget, countsCost, type SettledCost } from './budget.ts'
import { DatabaseTime } from './database-time.ts'

/** The reserved money of one request, in every budget that counts it. */
export type Reservation = {
  /** Charges the cost to the budgets that count it and releases the rest. Called once. */
  settle: (settled: SettledCost) => void
  /** Like `settle`, for a request that continues. Call `record` when the cost was passed to the ledger. */
  settleEarly: (settled: SettledCost) => { record: () => void }
}

type RefusedReservation = { refusedBy: Budget; outcome: Exclude<ReserveOutcome, 'granted' | 'period_ended'> }
type ReserveResult = { reservation: Reservation } | RefusedReservation

type AccountsWithReservation = { accounts: OpenAccount[] } | { periodEnded: true }

type BudgetsDeps = Omit<AccountsDeps, 'time' | 'server' | 'every'> & {
  /** The clock of this server, used until the first response of the database. */
  now: Now
  newId: NewId
  every?: Every
}

const defaultTimes: AccountTimes = { waitMs: 5000, stallMs: 5000, pollMs: 50, reportMs: 500, idleMs: 1000 }

/** The maximum number of attempts of a reservation. A retry is needed if a period ends, or this server's clock is ahead. */
const maxAttempts = 10

export const unrefInterval: Every = (ms, work) => {
  const timer = setInterval(work, ms).unref()
  return () => clearInterval(timer)
}

/** The part of `Budgets` that requests use. */
export type BudgetReserver = Pick<Budgets, 'reserve' | 'openReservation'>

/**
 * Budgets over all servers of a database. Spent and reserved money together exceed a limit only if a request costs more than its
 * reservation.
 */
export class Budgets {
  readonly #time: DatabaseTime
  readonly #accounts: OpenAccounts

  constructor({ now, newId, every = unrefInterval, ...deps }: BudgetsDeps, times: Partial<AccountTimes> = {}) {
    this.#time = new DatabaseTime(deps.clock, now)
    this.#accounts = new OpenAccounts(
      { ...deps, every, time: this.#time, server: newId() },
      { ...defaultTimes, ...times },
    )
  }

  /** Reserves `need` in all budgets or in none. @throws Error of the database: then the request must not be sent. */
  async reserve(budgets: readonly Budget[], need: PicoUsd): Promise<ReserveResult> {
    const at = this.#time.now()
    const accounts = budgets.map((budget) => this.#accounts.accountOf(budget, at))
    if (tryReserveAll(accounts, at, need)) return { reservation: createReservation(accounts, need) }
    return this.#reserveSlowly(budgets, need)
  }

  /** Opens a reservation of 0 for a request that already runs, so that the budget counts its cost. */
  openReservation(budget: Budget): Reservation {
    const open = this.#accounts.accountOf(budget, this.#time.now())
    open.account.openReservation()
    return createReservation([open], 0n)
  }

  /** Reports spending and returns idle money. */
  report(): Promise<void> {
    return this.#accounts.report()
  }

  close(): Promise<void> {
    return this.#accounts.close()
  }

  /** Reserves one budget after the other. Starts again if a period ends while it waits. */
  async #reserveSlowly(budgets: readonly Budget[], need: PicoUsd): Promise<ReserveResult> {
    for (let attempt = 0; attempt < maxAttempts; attempt++) {
      const at = this.#time.now()
      const reserved = await this.#reserveEach(budgets, at, need)
      if ('refusedBy' in reserved) return reserved
      if ('periodEnded' in reserved) continue
      const now = this.#time.now()
      if (budgets.every((budget) => endOfPeriod(budget, at) > now)) {
        return { reservation: createReservation(reserved.accounts, need) }
      }
      release(reserved.accounts, need)
    }
    throw new Error('The clocks of this server and the database differ.')
  }

  /** Looks up each account just before its use, because an idle one can be closed meanwhile. */
  async #reserveEach(
    budgets: readonly Budget[],
    at: number,
    need: PicoUsd,
  ): Promise<RefusedReservation | AccountsWithReservation> {
    const accounts: OpenAccount[] = []
    try {
      for (const budget of budgets) {
        const open = this.#accounts.accountOf(budget, at)
        const outcomePromise = open.account.reserve(need, budget.limit)
        this.#accounts.keepPolling()
        const outcome = await outcomePromise
        if (outcome !== 'granted') {
          release(accounts, need)
          return outcome === 'period_ended' ? { periodEnded: true } : { refusedBy: open.budget, outcome }
        }
        accounts.push(open)
      }
      return { accounts }
    } catch (error) {
      release(accounts, need)
      throw error
    }
  }
}

/** Reserves available money in all accounts or in none. */
function tryReserveAll(accounts: OpenAccount[], at: number, need: PicoUsd): boolean {
  let reservedCount = 0
  for (const { account } of accounts) {
    account.usedAt = at
    if (!account.tryReserve(need)) break
    reservedCount++
  }
  if (reservedCount === accounts.length) return true
  release(accounts.slice(0, reservedCount), need)
  return false
}

function release(accounts: OpenAccount[], need: PicoUsd): void {
  for (const { account } of accounts) account.settle(need, 0n)
}

function createReservation(accounts: OpenAccount[], need: PicoUsd): Reservation {
  return {
    settle(settled) {
      for (const { account, budget } of accounts) account.settle(need, costFor(budget, settled))
    },
    settleEarly(settled) {
      const earlySettlements = accounts.map(({ account, budget }) =>
        account.settleEarly(need, costFor(budget, settled)),
      )
      return {
        record() {
          for (const { record } of earlySettlements) record()
        },
      }
    },
  }
}

const costFor = (budget: Budget, settled: SettledCost): PicoUsd => (countsCost(budget, settled) ? settled.cost : 0n)
