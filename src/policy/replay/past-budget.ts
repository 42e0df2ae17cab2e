import { type PicoUsd, toPicoUsd } from '#platform/core/pico-usd.ts'
import { periodStart } from '#spend/ledger/days.ts'
import type { PastRequest, SpentByKey } from '#spend/ledger/history.ts'
import { groupValues } from '#spend/ledger/request-group.ts'
import { groupingOf } from '../guardrails/decide/guardrail-budget.ts'
import type { Policy } from '../guardrails/decide/policy.ts'
import type { GovernedTargets } from '../guardrails/propose-guardrail.ts'

type LimitFields = Pick<Policy, 'limit_usd' | 'reset_interval' | 'include_byok_in_budgets'>
type Spending = { at: number; cost: PicoUsd; byok: boolean }

/** Applies a limit of one member or key to past requests, in order of time. */
export type PastBudget = {
  /** Whether the limit has room for a request. Does not count its cost. */
  hasRoom: (spending: Spending) => boolean
  /** Counts the cost of a request, regardless of the limit: it is from before the replay, or the limit had room for it. */
  count: (spending: Spending) => void
}

/** Returns the first day whose spending counts at a time: the start of the period, or the first day of all. */
export function firstDayOf({ reset_interval }: Pick<LimitFields, 'reset_interval'>, at: number): number {
  return reset_interval === null ? 0 : periodStart(reset_interval, at)
}

/**
 * @param from the start of the replay.
 * @param before the spending in the period of `from`, on the days before its day.
 */
export function createPastBudget(policy: LimitFields, from: number, before: PicoUsd): PastBudget {
  const limit = policy.limit_usd === null ? undefined : toPicoUsd(policy.limit_usd)
  let period = firstDayOf(policy, from)
  let spent = before

  const isCounted = ({ byok }: Spending) => !byok || policy.include_byok_in_budgets
  function count(spending: Spending): void {
    startPeriodAt(spending.at)
    if (isCounted(spending)) spent += spending.cost
  }
  function startPeriodAt(at: number): void {
    const current = firstDayOf(policy, at)
    if (current === period) return
    period = current
    spent = 0n
  }
  return {
    count,
    hasRoom(spending) {
      startPeriodAt(spending.at)
      return limit === undefined || !isCounted(spending) || spent + spending.cost <= limit
    },
  }
}

/** Applies the limit of a guardrail to past requests, separately for each member and key that it applies to. */
export type PastBudgets = {
  /** Whether all limits that count a request have room for it. If so, adds its cost. */
  chargeIfRoom: (past: PastRequest) => boolean
  /** Counts spending from before the replay, regardless of the limit. */
  count: (past: PastRequest) => void
}

type Owner = { keyHash: string; userId: string }

/**
 * @param from the start of the replay.
 * @param before the spending of each key in the period of `from`, on the days before its day.
 */
export function createPastBudgets(
  policy: LimitFields,
  governed: GovernedTargets,
  from: number,
  before: readonly SpentByKey[],
): PastBudgets {
  const budgets = new Map<string, PastBudget>()
  const spentBefore = new Map<string, PicoUsd>()
  for (const { spent, ...owner } of before)
    for (const name of accountNamesFor(owner)) spentBefore.set(name, (spentBefore.get(name) ?? 0n) + spent)

  function accountNamesFor({ keyHash, userId }: Owner): string[] {
    const names: string[] = []
    if (governed.everybody || governed.userIds.has(userId)) names.push(`member ${userId}`)
    if (governed.everybody || governed.keyHashes.has(keyHash)) names.push(`key ${keyHash}`)
    return names
  }
  const budgetsFor = (owner: Owner) =>
    accountNamesFor(owner).map((name) =>
      budgets.getOrInsertComputed(name, () => createPastBudget(policy, from, spentBefore.get(name) ?? 0n)),
    )
  return {
    count(past) {
      for (const budget of budgetsFor(past)) budget.count(spendingOf(past))
    },
    chargeIfRoom(past) {
      return chargeIfRoom(budgetsFor(past), spendingOf(past))
    },
  }
}

/**
 * Applies the limits of sessions and tag values to past requests. All start at zero, because the
 * spending of single sessions and tag values before the replay is not read. The notes of the replay say so.
 */
export function createPastGroupBudgets(
  { group_limits, include_byok_in_budgets }: Pick<Policy, 'group_limits' | 'include_byok_in_budgets'>,
  from: number,
): Pick<PastBudgets, 'chargeIfRoom'> {
  const limits = (group_limits ?? []).map((limit) => ({
    grouping: groupingOf(limit),
    policy: { ...limit, include_byok_in_budgets },
    budgets: new Map<string, PastBudget>(),
  }))
  return {
    chargeIfRoom(past) {
      const groups = { sessionId: past.record.session_id ?? undefined, tags: past.tags }
      const applicable = limits.flatMap(({ grouping, policy, budgets }) =>
        groupValues(grouping, groups).map((value) =>
          budgets.getOrInsertComputed(value, () => createPastBudget(policy, from, 0n)),
        ),
      )
      return chargeIfRoom(applicable, spendingOf(past))
    },
  }
}

/** Counts a request in all budgets if each has room for it. */
function chargeIfRoom(applicable: readonly PastBudget[], spending: Spending): boolean {
  if (!applicable.every((budget) => budget.hasRoom(spending))) return false
  for (const budget of applicable) budget.count(spending)
  return true
}

/** The cost and the time of a request. */
function spendingOf({ createdAt, cost, record }: PastRequest): Spending {
  return { at: createdAt, cost, byok: record.is_byok }
}
