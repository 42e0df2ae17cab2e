import type { PicoUsd } from '#platform/core/pico-usd.ts'
import type { PastRequest, SpentByKey } from '#spend/ledger/past-requests.ts'
import { type Grouping, groupValues } from '#spend/ledger/request-group.ts'
import { groupingOf } from '../guardrails/decide/guardrail-budget.ts'
import type { Policy } from '../guardrails/decide/policy.ts'
import type { GovernedTargets } from '../guardrails/propose-guardrail.ts'
import { chargeIfRoom, type LimitFields, PastBudget } from './past-budget.ts'

type Owner = { keyHash: string; userId: string }

/** Applies the limit of a guardrail to past requests, separately for each member and key that it applies to. */
export class PastBudgets {
  readonly #policy: LimitFields
  readonly #governed: GovernedTargets
  readonly #from: number
  readonly #budgets = new Map<string, PastBudget>()
  readonly #spentBefore = new Map<string, PicoUsd>()

  /**
   * @param from the start of the replay.
   * @param spentBefore the spending of each key on whole days before `from`, in the limit's period that contains `from`. The
   * requests of the day of `from` that were before it are passed to `count`.
   */
  constructor(policy: LimitFields, governed: GovernedTargets, from: number, spentBefore: readonly SpentByKey[]) {
    this.#policy = policy
    this.#governed = governed
    this.#from = from
    for (const { spent, ...owner } of spentBefore) {
      for (const name of this.#spendersOf(owner))
        this.#spentBefore.set(name, (this.#spentBefore.get(name) ?? 0n) + spent)
    }
  }

  /** Whether all limits that count a request have room for it. If so, counts it. */
  chargeIfRoom(request: PastRequest): boolean {
    return chargeIfRoom(this.#budgetsOf(request), request)
  }

  /** Counts spending from before the replay, regardless of the limit. */
  count(request: PastRequest): void {
    for (const budget of this.#budgetsOf(request)) budget.count(request)
  }

  #budgetsOf(owner: Owner): PastBudget[] {
    return this.#spendersOf(owner).map((name) =>
      this.#budgets.getOrInsertComputed(
        name,
        () => new PastBudget(this.#policy, this.#from, this.#spentBefore.get(name) ?? 0n),
      ),
    )
  }

  /** The spenders for which the limit counts a request separately. */
  #spendersOf({ keyHash, userId }: Owner): string[] {
    const governed = this.#governed
    const names: string[] = []
    if (governed.everybody || governed.userIds.has(userId)) names.push(`member ${userId}`)
    if (governed.everybody || governed.keyHashes.has(keyHash)) names.push(`key ${keyHash}`)
    return names
  }
}

type GroupPolicy = Pick<Policy, 'group_limits' | 'include_byok_in_budgets'>

/** One limit of sessions or tag values, with a budget for each value. */
type PastGroupLimit = { grouping: Grouping; policy: LimitFields; budgets: Map<string, PastBudget> }

/**
 * Applies the limits of sessions and tag values to past requests. All start at zero, because the
 * spending of single sessions and tag values before the replay is not read. The notes of the replay say so.
 */
export class PastGroupBudgets {
  readonly #limits: readonly PastGroupLimit[]
  readonly #from: number

  /** @param from the start of the replay. */
  constructor({ group_limits, include_byok_in_budgets }: GroupPolicy, from: number) {
    this.#from = from
    this.#limits = (group_limits ?? []).map((limit) => ({
      grouping: groupingOf(limit),
      policy: { ...limit, include_byok_in_budgets },
      budgets: new Map(),
    }))
  }

  /** Whether all limits that count a request have room for it. If so, counts it. */
  chargeIfRoom(request: PastRequest): boolean {
    const groups = { sessionId: request.record.session_id ?? undefined, tags: request.tags }
    const budgets = this.#limits.flatMap((limit) =>
      groupValues(limit.grouping, groups).map((value) =>
        limit.budgets.getOrInsertComputed(value, () => new PastBudget(limit.policy, this.#from, 0n)),
      ),
    )
    return chargeIfRoom(budgets, request)
  }
}
