import { type PicoUsd, toPicoUsd } from '#platform/core/pico-usd.ts'
import { type Day, periodStart } from '#spend/ledger/days.ts'
import type { PastRequest } from '#spend/ledger/past-requests.ts'
import type { Policy } from '../guardrails/decide/policy.ts'

export type LimitFields = Pick<Policy, 'limit_usd' | 'reset_interval' | 'include_byok_in_budgets'>

/** Returns the first day whose spending counts at a time: the start of the period, or the first day of all. */
export function firstDayOf({ reset_interval }: Pick<LimitFields, 'reset_interval'>, at: number): Day {
  return reset_interval === null ? 0 : periodStart(reset_interval, at)
}

type PastSpending = Pick<PastRequest, 'createdAt' | 'charged' | 'isByok'>

/** Applies a limit of one member, key, session or tag value to past requests, in order of time. */
export class PastBudget {
  readonly #policy: LimitFields
  readonly #limit: PicoUsd | undefined
  #period: Day
  #spent: PicoUsd

  /**
   * @param from the start of the replay.
   * @param spentBefore the spending in the period of `from`, on the days before its day.
   */
  constructor(policy: LimitFields, from: number, spentBefore: PicoUsd) {
    this.#policy = policy
    this.#limit = policy.limit_usd === null ? undefined : toPicoUsd(policy.limit_usd)
    this.#period = firstDayOf(policy, from)
    this.#spent = spentBefore
  }

  /** Whether the limit has room for a request. Does not count it. */
  hasRoom(request: PastSpending): boolean {
    this.#startPeriodAt(request.createdAt)
    return this.#limit === undefined || !this.#counts(request) || this.#spent + request.charged <= this.#limit
  }

  /** Counts the charge of a request, regardless of the limit: it is from before the replay, or the limit had room for it. */
  count(request: PastSpending): void {
    this.#startPeriodAt(request.createdAt)
    if (this.#counts(request)) this.#spent += request.charged
  }

  #counts({ isByok }: PastSpending): boolean {
    return !isByok || this.#policy.include_byok_in_budgets
  }

  #startPeriodAt(at: number): void {
    const period = firstDayOf(this.#policy, at)
    if (period === this.#period) return
    this.#period = period
    this.#spent = 0n
  }
}

/** Counts a request in all budgets if each has room for it. */
export function chargeIfRoom(budgets: readonly PastBudget[], request: PastSpending): boolean {
  if (!budgets.every((budget) => budget.hasRoom(request))) return false
  for (const budget of budgets) budget.count(request)
  return true
}
