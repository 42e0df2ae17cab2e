import type { Selectable } from 'kysely'
import { isoTime } from '#platform/core/clock.ts'
import { toPicoUsd } from '#platform/core/pico-usd.ts'
import { intervals } from '#platform/core/vocabulary.ts'
import type { Tables } from '#platform/db/tables.ts'
import { z } from '#platform/json/schema.ts'
import { strictFields } from '#platform/json/strict-fields.ts'
import type { BudgetOwner, PersistentBudget } from '../budget.ts'
import { spentAmounts } from '../spent-amounts.ts'
import { Thresholds } from '../thresholds.ts'

/** The intervals of pooled budgets, shortest first. A shorter one must have a smaller limit. */
export const budgetIntervals = [...intervals, 'lifetime'] as const
export type BudgetInterval = (typeof budgetIntervals)[number]

export type PooledBudgetRow = Selectable<Tables['pooled_budgets']> & {
  owner_kind: BudgetOwner['kind']
  reset_interval: BudgetInterval
}

/** A budget with its spending, without its owner. */
const PooledBudget = z.object({
  id: z.string(),
  limit_usd: z.number().describe('In USD.'),
  reset_interval: z.enum(intervals).nullable().describe('When the spending is reset to 0; null for never.'),
  ...spentAmounts('budget').shape,
  thresholds: Thresholds,
  resets_at: z.iso.datetime().nullable().describe('The start of the next period; null for never.'),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime(),
})
export type PooledBudget = z.infer<typeof PooledBudget>

export const WorkspaceBudget = PooledBudget.extend({ workspace_id: z.string() }).meta({
  id: 'WorkspaceBudget',
  description: 'A limit for the total spending of all keys and members of a workspace in an interval.',
})
export const OrganizationBudget = PooledBudget.extend({ organization_id: z.string() }).meta({
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

export const limitFields = (row: PooledBudgetRow) => ({
  limit_usd: row.limit_usd,
  reset_interval: intervalOf(row),
})

export const timeFields = ({ created_at, updated_at }: PooledBudgetRow) => ({
  created_at: isoTime(created_at),
  updated_at: isoTime(updated_at),
})

export function toBudget(row: PooledBudgetRow): PersistentBudget {
  const owner: BudgetOwner = { kind: row.owner_kind, id: row.owner_id }
  return {
    id: row.account,
    subject: { kind: 'pool', pool: owner, account: row.account, createdAt: row.created_at },
    limit: toPicoUsd(row.limit_usd),
    interval: intervalOf(row),
    includesByok: row.include_byok === 1,
  }
}

const intervalOf = ({ reset_interval }: PooledBudgetRow) => (reset_interval === 'lifetime' ? null : reset_interval)
