import type { Config } from '#platform/config/settings.ts'
import { isoTime } from '#platform/core/clock.ts'
import { z } from '#platform/json/schema.ts'
import { Policy } from './decide/policy.ts'
import { twinsOf } from './decide/zdr.ts'

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

/** The public form of a guardrail, with `enforce_zdr_<vendor>` for each configured vendor. */
export const Guardrail = z
  .looseObject({
    id: z.uuid(),
    workspace_id: z.uuid(),
    name: z.string(),
    description: z.string().nullable(),
    ...Policy.shape,
    spent_usd: z
      .number()
      .optional()
      .describe('Spend in the current period of the limit. Present only when a single guardrail is read.'),
    held_usd: z
      .number()
      .optional()
      .describe('Reserved by servers for requests in flight and following ones. The unspent part is released.'),
    forecast_usd: z
      .number()
      .nullable()
      .optional()
      .describe(
        'Projected spend at the end of the period, from the spend so far; null if the limit never resets, or has just reset.',
      ),
    resets_at: z.iso.datetime().nullable().optional().describe('The start of the next period; null for never.'),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: 'Guardrail', description: 'Limits on spend, models, providers, regions, retention and content.' })
export type Guardrail = z.infer<typeof Guardrail>

export function publicForm(deps: { config: Pick<Config, 'zdr_vendors'> }, record: GuardrailRecord): Guardrail {
  return {
    id: record.id,
    workspace_id: record.workspaceId,
    name: record.name,
    description: record.description,
    ...record.policy,
    ...twinsOf(deps.config.zdr_vendors, record.policy),
    created_at: isoTime(record.createdAt),
    updated_at: isoTime(record.updatedAt),
  }
}
