import type { Config } from '#platform/config/settings.ts'
import { isoTime, type Now } from '#platform/core/clock.ts'
import type { Db } from '#platform/db/db.ts'
import { resetsAt } from '#spend/budgets/budget.ts'
import { toStatusFields } from '#spend/budgets/budget-status.ts'
import { groupLimitsOf } from './decide/guardrail-budget.ts'
import { readGroupStatuses } from './group-statuses.ts'
import { type Guardrail, type GuardrailRecord, toPublicGuardrail } from './guardrail.ts'
import { findSpenders, isDefaultOf, type SpenderStatus } from './spenders.ts'

type WithSpendingDeps = { db: Pick<Db, 'kind' | 'query'>; now: Now; config: Pick<Config, 'zdr_vendors'> }

/**
 * Returns the public representation of a guardrail. If it has a limit, it contains the members and keys that have spent the
 * most of it, and the amounts of the first of them. The limit applies to each separately, and the first is closest to it.
 */
export async function readGuardrailWithSpending(deps: WithSpendingDeps, record: GuardrailRecord): Promise<Guardrail> {
  const guardrail = { ...toPublicGuardrail(deps, record), ...(await groupSpending(deps, record)) }
  if (record.policy.limit_usd === null) return guardrail
  const spenders = (await findSpenders(deps, record)).map(toPublicSpender)
  const resetTime = resetsAt({ interval: record.policy.reset_interval }, deps.now())
  const zeroAmounts = { spent_usd: 0, unconfirmed_usd: 0, held_usd: 0, forecast_usd: null }
  const { spent_usd, unconfirmed_usd, held_usd, forecast_usd } = spenders[0] ?? zeroAmounts
  return {
    ...guardrail,
    spent_usd,
    unconfirmed_usd,
    held_usd,
    forecast_usd,
    resets_at: resetTime === null ? null : isoTime(resetTime),
    spenders,
  }
}

/** The number of listed sessions or tag values of each limit. */
const maxListed = 10

async function groupSpending(
  deps: WithSpendingDeps,
  record: GuardrailRecord,
): Promise<Pick<Guardrail, 'group_spending'> | undefined> {
  if (record.policy.group_limits === null) return undefined
  const isDefault = await isDefaultOf(deps.db.query, record.workspaceId, record.id)
  const lists = await Promise.all(
    groupLimitsOf({ guardrail: record, isDefault }).map(async (groupLimit) => {
      const { by, tag_name, limit_usd } = groupLimit.limit
      const statuses = await readGroupStatuses(deps, groupLimit, { limit: maxListed })
      return statuses.flatMap(({ value, status }) =>
        // Null: nothing has used this limit in the period.
        value === null ? [] : [{ by, tag_name, value, limit_usd, ...toStatusFields(status) }],
      )
    }),
  )
  return { group_spending: lists.flat() }
}

function toPublicSpender({ spender, name, status }: SpenderStatus) {
  const { resets_at, ...amounts } = toStatusFields(status)
  const id = spender.kind === 'member' ? { user_id: spender.userId } : { key_hash: spender.hash }
  return { kind: spender.kind, ...id, name, ...amounts }
}
