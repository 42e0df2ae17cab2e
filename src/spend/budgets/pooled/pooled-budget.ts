import type { Selectable } from 'kysely'
import { isoTime } from '#platform/core/clock.ts'
import { toPicoUsd } from '#platform/core/pico-usd.ts'
import { intervals } from '#platform/core/vocabulary.ts'
import type { Tables } from '#platform/db/tables.ts'
import { z } from '#platform/json/schema.ts'
import { strictFields } from '#platform/json/strict-fields.ts'
import type { LastingBudget, Pool } from '../budget.ts'
import { spentAmounts } from '../spent-amounts.ts'
import { Thresholds } from '../thresholds.ts'

/** The intervals of pooled budgets, shortest first. A shorter one must have a smaller limit. */
export const budgetIntervals = [...intervals, 'lifetime'] as const
export type BudgetInterval = (typeof budgetIntervals)[number]

export type PooledBudgetRow = Selectable<Tables['pooled_budgets']> & {
  owner_kind: Pool['kind']
  reset_interval: BudgetInterval
}

const commonFields = {
  id: z.string(),
  limit_usd: z.number().describe('In USD.'),
  reset_interval: z.enum(intervals).nullable().describe('When the spending is reset to 0; null for never.'),
  ...spentAmounts('budget').shape,
  thresholds: Thresholds,
  resets_at: z.iso.datetime().nullable().describe('When the next period begins; null for never.'),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
}

export const WorkspaceBudget = z.object({ ...commonFields, workspace_id: z.string() }).meta({
  id: 'WorkspaceBudget',
  description: 'A limit for the total spending of all keys and members of a workspace in an interval.',
})
export const OrganizationBudget = z.object({ ...commonFields, organization_id: z.string() }).meta({
  id: 'OrganizationBudget',
  description: 'A limit for the total spending of all workspaces of the organization in an interval.',
})

export const PooledBudgetBody = strictFields({
  limit_usd: z
    .number()
    .positive()
    .max(1e9)
    .describe('In USD. Must be smaller than the budgets of longer intervals, and larger than those of shorter ones.'),
  thresholds: Thresholds.optional(),
  include_byok_in_budgets: z
    .boolean()
    .optional()
    .describe(
      'Whether spending on your own provider keys counts, too. Applies to the budgets of all intervals; omit to leave it unchanged.',
    ),
}).meta({ id: 'BudgetBody' })
export type PooledBudgetBody = z.infer<typeof PooledBudgetBody>

/** The stored fields of a budget, for answers and the audit log. */
export function storedFields(row: PooledBudgetRow) {
  return {
    id: row.id,
    [row.owner_kind === 'workspace' ? 'workspace_id' : 'organization_id']: row.owner_id,
    limit_usd: row.limit_usd,
    reset_interval: intervalOf(row),
    include_byok_in_budgets: row.include_byok === 1,
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
  }
}

export function toBudget(row: PooledBudgetRow): LastingBudget {
  const pool: Pool = { kind: row.owner_kind, id: row.owner_id }
  return {
    id: row.account,
    subject: { kind: 'pool', pool, account: row.account, createdAt: row.created_at },
    limit: toPicoUsd(row.limit_usd),
    interval: intervalOf(row),
    includesByok: row.include_byok === 1,
  }
}

const intervalOf = ({ reset_interval }: PooledBudgetRow) => (reset_interval === 'lifetime' ? null : reset_interval)
