import { groupings, intervals, regions } from '#platform/core/vocabulary.ts'
import { z } from '#platform/json/schema.ts'
import { builtinSlugs, filterActions, scanScopes } from '../../filters/detectors/builtins.ts'

const nullableBoolean = () => z.boolean().nullable()
const nullableNames = () => z.array(z.string()).nullable()

/** A limit for each session, or for each value of a tag. */
export const GroupLimit = z.object({
  by: z.enum(groupings),
  tag_name: z.string().nullable(),
  limit_usd: z.number(),
  reset_interval: z.enum(intervals).nullable(),
})
export type GroupLimit = z.infer<typeof GroupLimit>

/** The stored rules of a guardrail. Null means no rule. */
export const Policy = z.object({
  limit_usd: z.number().nullable(),
  reset_interval: z.enum(intervals).nullable(),
  include_byok_in_budgets: z.boolean(),
  group_limits: z.array(GroupLimit).nullable(),
  allowed_data_regions: z.array(z.enum(regions)).nullable(),
  allowed_models: nullableNames().describe('Canonical slugs.'),
  ignored_models: nullableNames().describe('Canonical slugs.'),
  allowed_providers: nullableNames(),
  ignored_providers: nullableNames(),
  content_filter_builtins: z
    .array(
      z.object({
        slug: z.enum(builtinSlugs),
        action: z.enum(filterActions),
        label: z.string(),
        scan_scope: z.enum(scanScopes).optional(),
      }),
    )
    .nullable(),
  content_filters: z
    .array(z.object({ pattern: z.string(), action: z.enum(filterActions), label: z.string().nullish() }))
    .nullable(),
  enable_free_model_publication: nullableBoolean(),
  enable_free_model_training: nullableBoolean(),
  enable_paid_model_training: nullableBoolean(),
  // `enforce_zdr` is deprecated for the fields below it. The setting `zdr_vendors` names the model vendors of the letters, which
  // are fields of the public API.
  enforce_zdr: nullableBoolean().meta({ deprecated: true }),
  enforce_zdr_vendor_a: nullableBoolean(),
  enforce_zdr_vendor_b: nullableBoolean(),
  enforce_zdr_vendor_c: nullableBoolean(),
  enforce_zdr_vendor_d: nullableBoolean(),
  enforce_zdr_other: nullableBoolean(),
})
export type Policy = z.infer<typeof Policy>

/** The policy of a new guardrail: it forbids nothing. Only this field has a value other than null. */
export const emptyPolicy = {
  ...Object.fromEntries(Object.keys(Policy.shape).map((name) => [name, null])),
  include_byok_in_budgets: false,
} as Policy
