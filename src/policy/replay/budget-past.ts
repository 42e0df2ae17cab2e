import { type PicoUsd, picoUsdOf } from '#platform/core/pico-usd.ts'
import { periodStart } from '#spend/ledger/days.ts'
import type { PastRequest } from '#spend/ledger/history.ts'
import type { Policy } from '../guardrails/decide/policy.ts'

type Limited = Pick<Policy, 'limit_usd' | 'reset_interval' | 'include_byok_in_budgets'>
type Spending = { at: number; cost: PicoUsd; byok: boolean }

/** A limit over requests of the past, in order of time. */
export type BudgetOfPast = {
  /** Whether the limit has room for a request. If so, the request is added to what is spent. */
  admits: (spending: Spending) => boolean
  /** Counts what was spent before the replay begins, whatever the limit. */
  count: (spending: Spending) => void
}

/** The first day whose spending counts at an instant: of the period, or of all days. */
export function firstDayOf({ reset_interval }: Pick<Limited, 'reset_interval'>, at: number): number {
  return reset_interval === null ? 0 : periodStart(reset_interval, at)
}

/** @param before what was spent in the period of the first request, on earlier days. */
export function budgetOfPast(policy: Limited, from: number, before: PicoUsd): BudgetOfPast {
  const limit = policy.limit_usd === null ? undefined : picoUsdOf(policy.limit_usd)
  let period = firstDayOf(policy, from)
  let spent = before

  function count({ at, cost, byok }: Spending): void {
    turnTo(at)
    if (!byok || policy.include_byok_in_budgets) spent += cost
  }
  function turnTo(at: number): void {
    const current = firstDayOf(policy, at)
    if (current === period) return
    period = current
    spent = 0n
  }
  return {
    count,
    admits(spending) {
      turnTo(spending.at)
      if (limit !== undefined && spent + spending.cost > limit) return false
      count(spending)
      return true
    },
  }
}

/** The cost and the time of a request. */
export function spendingOf({ createdAt, cost, record }: PastRequest): Spending {
  return { at: createdAt, cost, byok: record.is_byok }
}
