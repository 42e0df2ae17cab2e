import type { Caller } from '#identity/accounts/caller.ts'
import type { Now } from '#platform/core/clock.ts'
import { toUsd } from '#platform/core/pico-usd.ts'
import { intervals } from '#platform/core/vocabulary.ts'
import type { Db } from '#platform/db/db.ts'
import { z } from '#platform/json/schema.ts'
import { readGroupStatuses } from '#policy/guardrails/group-statuses.ts'
import type { EffectivePolicies } from '#policy/guardrails/workspace-policies.ts'
import { type PersistentBudget, spendLimitNameOf, spendLimitNames } from '#spend/budgets/budget.ts'
import { addStatuses, type BudgetStatus, toStatusFields, usedAmount } from '#spend/budgets/budget-status.ts'
import { keyBudget } from '#spend/budgets/key-budget.ts'

export const BudgetOfKey = z
  .object({
    layer: z
      .enum(spendLimitNames)
      .describe(
        'The source of the limit: a budget of the organization or workspace, the default guardrail of the workspace (for the member or for the key), a guardrail of the member or of the key, its limits for each session or tag value, or the key itself.',
      ),
    guardrail_id: z.string().nullable(),
    tag_name: z.string().nullable().describe('The tag, for the layer `tag`.'),
    group_value: z
      .string()
      .nullable()
      .describe(
        'If `layer` is `session` or `tag`: the session or tag value to which the amounts belong. Up to three are listed, those of the key that have spent the most; null if there is none.',
      ),
    limit_usd: z.number(),
    reset_interval: z.enum(intervals).nullable(),
    include_byok: z.boolean().describe('Whether spending on your own provider keys counts.'),
    spent_usd: z.number(),
    unconfirmed_usd: z
      .number()
      .describe('Charged in addition to `spent_usd`, because no provider reported what it billed.'),
    held_usd: z
      .number()
      .describe('Reserved for requests in flight and the next requests. The unspent part is released.'),
    remaining_usd: z.number(),
    forecast_usd: z.number().nullable().describe('Expected spending at the end of the period; null if unknown.'),
    resets_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'KeyBudget', description: 'A limit that counts the spending of a key.' })

type KeyBudget = z.infer<typeof BudgetOfKey>
type LimitedCaller = Pick<Caller, 'keyHash' | 'spendLimit'>

/** The number of listed sessions or tag values of each limit. */
const maxListedGroups = 3

/** All limits that count what a key spends, in the order in which they are checked. Amounts are in USD. */
export async function budgetsOfKey(
  deps: { db: Db; now: Now },
  caller: LimitedCaller,
  { budgets, groupLimits }: Pick<EffectivePolicies, 'budgets' | 'groupLimits'>,
): Promise<KeyBudget[]> {
  const { keyHash } = caller
  const [policyLimits, keyLimits, groups] = await Promise.all([
    addStatuses(
      deps,
      budgets.map((budget) => ({ budget })),
    ),
    readKeyLimit(deps, caller),
    Promise.all(groupLimits.map((limit) => readGroupStatuses(deps, limit, { keyHash, limit: maxListedGroups }))),
  ])
  return [
    ...policyLimits.map(({ budget, status }) => toKeyBudget(budget, status)),
    ...groups.flat().map(({ budget, status, value }) => ({ ...toKeyBudget(budget, status), group_value: value })),
    ...keyLimits,
  ]
}

/** The limit of the key itself, which is checked last. */
async function readKeyLimit(deps: { db: Db; now: Now }, { keyHash, spendLimit }: LimitedCaller): Promise<KeyBudget[]> {
  if (!spendLimit) return []
  const limits = await addStatuses(deps, [{ budget: keyBudget(keyHash, spendLimit) }])
  return limits.map(({ budget, status }) => toKeyBudget(budget, status))
}

function toKeyBudget({ subject, limit, interval, includesByok }: PersistentBudget, status: BudgetStatus): KeyBudget {
  const remaining = limit - usedAmount(status) - status.held
  const isGroup = subject.kind === 'group'
  return {
    layer: spendLimitNameOf(subject),
    guardrail_id: isGroup || subject.kind === 'guardrail' ? subject.guardrailId : null,
    tag_name: isGroup && subject.grouping.by === 'tag' ? subject.grouping.name : null,
    group_value: null,
    limit_usd: toUsd(limit),
    reset_interval: interval,
    include_byok: includesByok,
    remaining_usd: toUsd(remaining > 0n ? remaining : 0n),
    ...toStatusFields(status),
  }
}
