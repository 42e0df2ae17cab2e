import type { Now } from '#platform/core/clock.ts'
import type { NewId } from '#platform/core/id.ts'
import type { PicoUsd } from '#platform/core/pico-usd.ts'
import type { Budget } from './budget.ts'
import { DatabaseTime } from './database-time.ts'
import {
  type AccountsDeps,
  type AccountTimes,
  type Every,
  endOfPeriod,
  type OpenAccount,
  OpenAccounts,
} from './open-accounts.ts'
import type { ReserveOutcome } from './waiting-requests.ts'

/** Money set aside for one request, of every budget that counts it. */
export type Reservation = {
  /** Called once, when it is known what the request cost. Nothing is spent of budgets that do not count it. */
  settle: (cost: PicoUsd, counts: (budget: Budget) => boolean) => void
  /** As `settle`, for a request that goes on: `record` is called when the ledger was given what it cost. */
  settleEarly: (cost: PicoUsd, counts: (budget: Budget) => boolean) => { record: () => void }
}

type RefusedReservation = { refusedBy: Budget; outcome: Exclude<ReserveOutcome, 'granted' | 'over'> }
export type Reserved = { reservation: Reservation } | RefusedReservation

type Held = { held: OpenAccount[] } | { over: true }

type BudgetsDeps = Omit<AccountsDeps, 'time' | 'server' | 'every'> & {
  /** This server's own, until the database was heard. */
  now: Now
  newId: NewId
  every?: Every
}

const usualTimes: AccountTimes = { waitMs: 5000, stallMs: 5000, pollMs: 50, reportMs: 500, idleMs: 1000 }

/**
 * A reservation is tried at most so often: again if the period ended meanwhile, or if this server's clock was ahead.
 */
const mostTries = 10

export const everyUnref: Every = (ms, work) => {
  const timer = setInterval(work, ms).unref()
  return () => clearInterval(timer)
}

/**
 * Budgets over all servers of a database. The money spent and the money reserved together never exceed a limit. Only a
 * request that costs more than its reservation can exceed it.
 */
export class Budgets {
  readonly #time: DatabaseTime
  readonly #accounts: OpenAccounts

  constructor({ now, newId, every = everyUnref, ...deps }: BudgetsDeps, times: Partial<AccountTimes> = {}) {
    this.#time = new DatabaseTime(deps.clock, now)
    this.#accounts = new OpenAccounts(
      { ...deps, every, time: this.#time, server: newId() },
      { ...usualTimes, ...times },
    )
  }

  /** Sets `need` aside of each budget, or of none. @throws what the database throws: then nothing may be spent. */
  reserve(budgets: readonly Budget[], need: PicoUsd): Reserved | Promise<Reserved> {
    const at = this.#time.now()
    const open = budgets.map((budget) => this.#accounts.of(budget, at))
    if (takeAll(open, at, need)) return { reservation: reservation(open, need) }
    return this.#reserveSlowly(budgets, need)
  }

  /** Reports what was spent; what is idle is given back. */
  report(): Promise<void> {
    return this.#accounts.report()
  }

  close(): Promise<void> {
    return this.#accounts.close()
  }

  /** A period may end while others are waited for: then all is set aside anew. */
  async #reserveSlowly(budgets: readonly Budget[], need: PicoUsd): Promise<Reserved> {
    for (let tries = 0; tries < mostTries; tries++) {
      const at = this.#time.now()
      const reserved = await this.#reserveEach(budgets, at, need)
      if ('refusedBy' in reserved) return reserved
      if ('over' in reserved) continue
      const now = this.#time.now()
      if (budgets.every((budget) => endOfPeriod(budget, at) > now)) {
        return { reservation: reservation(reserved.held, need) }
      }
      giveBack(reserved.held, need)
    }
    throw new Error('This server and the database do not agree on the time.')
  }

  /** An account is looked up just before it is asked: one that lies idle meanwhile may be closed. */
  async #reserveEach(budgets: readonly Budget[], at: number, need: PicoUsd): Promise<RefusedReservation | Held> {
    const held: OpenAccount[] = []
    try {
      for (const budget of budgets) {
        const open = this.#accounts.of(budget, at)
        const reserving = open.account.reserve(need, budget.limit)
        this.#accounts.keepPolling()
        const outcome = await reserving
        if (outcome !== 'granted') {
          giveBack(held, need)
          return outcome === 'over' ? { over: true } : { refusedBy: open.budget, outcome }
        }
        held.push(open)
      }
      return { held }
    } catch (error) {
      giveBack(held, need)
      throw error
    }
  }
}

/** Sets aside what is at hand of each, or nothing. */
function takeAll(open: OpenAccount[], at: number, need: PicoUsd): boolean {
  let taken = 0
  for (const { account } of open) {
    account.usedAt = at
    if (!account.take(need)) break
    taken++
  }
  if (taken === open.length) return true
  giveBack(open.slice(0, taken), need)
  return false
}

function giveBack(open: OpenAccount[], need: PicoUsd): void {
  for (const { account } of open) account.settle(need, 0n)
}

function reservation(open: OpenAccount[], need: PicoUsd): Reservation {
  return {
    settle(cost, counts) {
      for (const { account, budget } of open) account.settle(need, counts(budget) ? cost : 0n)
    },
    settleEarly(cost, counts) {
      const early = open.map(({ account, budget }) => account.settleEarly(need, counts(budget) ? cost : 0n))
      return {
        record() {
          for (const { record } of early) record()
        },
      }
    },
  }
}
