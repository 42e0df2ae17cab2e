import type { Config } from '#platform/config/settings.ts'
import { isoTime } from '#platform/core/clock.ts'
import { groupings } from '#platform/core/vocabulary.ts'
import { z } from '#platform/json/schema.ts'
import { spentAmounts } from '#spend/budgets/spent-amounts.ts'
import { Policy } from './decide/policy.ts'
import { vendorFieldsOf } from './decide/zdr.ts'

/** A stored guardrail. Times are Unix milliseconds. */
export type GuardrailRecord = {
  id: string
  workspaceId: string
  name: string
  description: string | null
  policy: Policy
  createdAt: number
  updatedAt: number
}

const Amounts = spentAmounts('limit')

const Spender = z.object({
  kind: z.enum(['member', 'key']),
  user_id: z.string().optional(),
  key_hash: z.string().optional(),
  name: z.string().nullable().describe('The address of the member, or the name of the key.'),
  ...Amounts.shape,
})

const GroupSpending = z.object({
  by: z.enum(groupings),
  tag_name: z.string().nullable(),
  value: z.string().describe('The session, or the value of the tag.'),
  limit_usd: z.number(),
  ...Amounts.shape,
  resets_at: z.iso.datetime().nullable(),
})

/** The public form of a guardrail, with `enforce_zdr_<vendor>` for each configured vendor. */
export const Guardrail = z
  .looseObject({
    id: z.uuid(),
    workspace_id: z.uuid(),
    name: z.string(),
    description: z.string().nullable(),
    ...Policy.shape,
    ...Amounts.partial().shape,
    resets_at: z.iso.datetime().nullable().optional().describe('The start of the next period; null for never.'),
    spenders: z
      .array(Spender)
      .optional()
      .describe(
        'Up to 10 members and keys with the highest spending of the limit, highest first. The amounts of the guardrail itself are those of the first entry.',
      ),
    group_spending: z
      .array(GroupSpending)
      .optional()
      .describe('The sessions and tag values that have spent the most of each of `group_limits`, at most 10 of each.'),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: 'Guardrail', description: 'Limits on spend, models, providers, regions, retention and content.' })
export type Guardrail = z.infer<typeof Guardrail>

export function toPublicGuardrail(deps: { config: Pick<Config, 'zdr_vendors'> }, record: GuardrailRecord): Guardrail {
  return {
    id: record.id,
    workspace_id: record.workspaceId,
    name: record.name,
    description: record.description,
    ...record.policy,
    ...vendorFieldsOf(deps.config.zdr_vendors, record.policy),
    created_at: isoTime(record.createdAt),
    updated_at: isoTime(record.updatedAt),
  }
}
