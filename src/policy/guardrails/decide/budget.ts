import { isoTime, type Now } from '#platform/core/clock.ts'
import { toUsd } from '#platform/core/pico-usd.ts'
import { databaseClock } from '#platform/db/clock.ts'
import type { Db } from '#platform/db/db.ts'
import { type Budget, forecastFor, type LastingSubject, limitOf, periodOf, resetsAt } from '#spend/budgets/budget.ts'
import { spentBefore } from '#spend/budgets/past-spending.ts'
import { standingIn } from '#spend/budgets/store.ts'
import type { GuardrailRecord } from '../guardrail.ts'

type GuardrailBudget = Budget & { subject: LastingSubject }

/** Guardrails in memory are immutable; a change replaces the object, so objects can be cache keys. */
const known = new WeakMap<GuardrailRecord, { budget: GuardrailBudget | undefined }>()

/** The spending limit of a guardrail, if it has one. */
export function guardrailBudget(record: GuardrailRecord): GuardrailBudget | undefined {
  const found = known.get(record)
  if (found) return found.budget
  const budget = toBudget(record)
  known.set(record, { budget })
  return budget
}

function toBudget({ id, workspaceId, createdAt, policy }: GuardrailRecord): GuardrailBudget | undefined {
  if (policy.limit_usd === null) return undefined
  return {
    id: `guardrail:${id}`,
    subject: { kind: 'guardrail', id, workspaceId, createdAt },
    limit: limitOf(policy.limit_usd),
    interval: policy.reset_interval,
    includesByok: policy.include_byok_in_budgets,
  }
}

export type Spent = {
  spent_usd?: number
  held_usd?: number
  forecast_usd?: number | null
  resets_at?: string | null
}

/**
 * The amount spent of a guardrail's limit in the running period and at its end, and when the next period begins. The amount includes
 * the money held by servers that no longer report.
 */
export async function guardrailSpending(
  deps: { db: Pick<Db, 'kind' | 'query'>; now: Now },
  record: GuardrailRecord,
): Promise<Spent> {
  const budget = guardrailBudget(record)
  if (!budget) return {}
  const at = deps.now()
  const period = periodOf(budget, at)
  const store = { db: deps.db, clock: databaseClock(deps.db, deps.now) }
  const standing = await standingIn(store, budget, period)
  const spent = standing.spent ?? (await spentBefore(deps, budget, period))
  const forecast = forecastFor(budget, spent, at)
  const next = resetsAt(budget, at)
  return {
    spent_usd: toUsd(spent),
    held_usd: toUsd(standing.held),
    forecast_usd: forecast === null ? null : toUsd(forecast),
    resets_at: next === null ? null : isoTime(next),
  }
}
