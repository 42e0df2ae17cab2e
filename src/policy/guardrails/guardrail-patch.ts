import { groupings, intervals, regions } from '#platform/core/vocabulary.ts'
import { ifThen } from '#platform/json/conditional-rules.ts'
import { z } from '#platform/json/schema.ts'
import { strictFields, unknownFields } from '#platform/json/strict-fields.ts'
import { text } from '#platform/json/text.ts'
import { builtinSlugs, filterActions, scanScopes, scopedBuiltins } from '../filters/detectors/builtins.ts'
import type { Policy } from './decide/policy.ts'

const nullableBoolean = () => z.boolean().nullable()

/** The limit of names in a list. It is higher than the size of any catalogue, and only limits the work. */
const maxItems = 10_000

/** A list of at least one item without duplicates, or null for no rule. */
function nullableList<Item extends z.ZodType>(item: Item, nameOf: (value: z.output<Item>) => string, max = maxItems) {
  return z
    .array(item)
    .min(1, { error: 'must have at least 1 item; null removes the list', abort: true })
    .max(max, { error: `must have at most ${max} items`, abort: true })
    .superRefine((values, context) => {
      const firstIndexes = new Map<string, number>()
      values.forEach((value, i) => {
        const earlier = firstIndexes.get(nameOf(value))
        if (earlier === undefined) firstIndexes.set(nameOf(value), i)
        else context.addIssue({ code: 'custom', path: [i], message: `repeats item ${earlier}` })
      })
    })
    .meta({ uniqueItems: true })
    .nullable()
}

const identity = (name: string) => name
const Name = text({ min: 1, max: 256 })

const ContentFilter = strictFields({
  pattern: text({ min: 1, max: 10_000 }).describe('RE2 syntax; flags inline, as in `(?i)secret`.'),
  action: z.enum(filterActions),
  label: text({ max: 100 }).nullish().describe('The replacement text for redacted matches.'),
})

const BuiltinFilter = strictFields({
  slug: z.enum(builtinSlugs),
  action: z.enum(filterActions),
  label: z.string().optional().describe('Ignored: the service assigns it.'),
  scan_scope: z.enum(scanScopes).optional().describe('Only for `regex-prompt-injection`.'),
})
  .superRefine(({ slug, scan_scope }, context) => {
    if (scan_scope === undefined || scopedBuiltins.has(slug)) return
    const slugs = [...scopedBuiltins].join(', ')
    context.addIssue({ code: 'custom', path: ['scan_scope'], message: `only ${slugs} supports it, not ${slug}` })
  })
  .meta(ifThen({ required: ['scan_scope'] }, { properties: { slug: { enum: [...scopedBuiltins] } } }))

const maxGroupLimits = 8

const GroupLimit = strictFields({
  by: z.enum(groupings).describe('`session`: each `session_id`. `tag`: each value of the tag.'),
  tag_name: text({ min: 1, max: 64 }).nullish().describe('The key in `metadata`. Required for `tag`.'),
  limit_usd: z.number().positive(),
  reset_interval: z.enum(intervals).nullish(),
}).superRefine(({ by, tag_name }, context) => {
  const hasTagName = tag_name != null
  if ((by === 'tag') === hasTagName) return
  context.addIssue({ code: 'custom', path: ['tag_name'], message: 'is required with by "tag", and only there' })
})

/** The fields of a guardrail that a client can set, except its name. Each is optional; null removes it. */
const policyFields = {
  description: text({ max: 1000 }).nullable(),
  limit_usd: z.number().positive().nullable().describe('Spending limit in USD.'),
  reset_interval: z.enum(intervals).nullable().describe('Requires `limit_usd`.'),
  include_byok_in_budgets: z.boolean().describe('Whether spend with the workspace’s own provider keys also counts.'),
  group_limits: nullableList(GroupLimit, ({ by, tag_name }) => `${by} ${tag_name ?? ''}`, maxGroupLimits).describe(
    'Limits for each session, or for each value of a tag (a key of `metadata`), over all keys and members that the guardrail applies to.',
  ),
  allowed_data_regions: nullableList(z.enum(regions), identity),
  allowed_models: nullableList(Name, identity).describe('IDs, canonical slugs or aliases; stored as canonical slugs.'),
  ignored_models: nullableList(Name, identity),
  allowed_providers: nullableList(Name, identity),
  ignored_providers: nullableList(Name, identity),
  content_filter_builtins: nullableList(BuiltinFilter, (filter) => filter.slug),
  content_filters: nullableList(ContentFilter, (filter) => filter.pattern),
  enable_free_model_publication: nullableBoolean().describe('Whether free endpoints that publish prompts are allowed.'),
  enable_free_model_training: nullableBoolean().describe(
    'Whether free endpoints that train on request data are allowed.',
  ),
  enable_paid_model_training: nullableBoolean().describe(
    'Whether paid endpoints that train on request data are allowed.',
  ),
  enforce_zdr: nullableBoolean()
    .meta({ deprecated: true })
    .describe('Default for each `enforce_zdr_…` field that the request does not contain.'),
  enforce_zdr_vendor_a: nullableBoolean().describe(
    'Whether models of this vendor (setting `zdr_vendors`) can only run on endpoints that retain no data. Also accepted with the name of the vendor, such as `enforce_zdr_anthropic`.',
  ),
  enforce_zdr_vendor_b: nullableBoolean(),
  enforce_zdr_vendor_c: nullableBoolean(),
  enforce_zdr_vendor_d: nullableBoolean(),
  enforce_zdr_other: nullableBoolean().describe('For models of other vendors.'),
} satisfies Record<keyof Policy | 'description', z.ZodType>

const GuardrailName = text({ min: 1, max: 200 })

/** Settings define the names of vendors, so the schema accepts every name of this form. `decide/zdr.ts` refuses unknown names. */
const vendorField = /^enforce_zdr_[a-zA-Z0-9_-]+$/

function bodyOf<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  const fieldNames = Object.keys(shape)
  return z
    .looseObject(shape)
    .superRefine((body, context) => {
      const unknown = Object.keys(body).filter((field) => !(Object.hasOwn(shape, field) || vendorField.test(field)))
      if (unknown.length > 0) context.addIssue({ code: 'custom', message: unknownFields(unknown, fieldNames) })
    })
    .meta({
      additionalProperties: false,
      patternProperties: { [vendorField.source]: { type: ['boolean', 'null'] } },
    })
}

const patchFields = z.object({ name: GuardrailName, ...policyFields }).partial().shape

/** The body of a PATCH. Missing fields do not change. */
export const GuardrailPatch = bodyOf(patchFields).meta({
  id: 'GuardrailPatch',
  description:
    'Missing fields stay unchanged; lists are replaced completely. `enforce_zdr_<vendor>` is accepted for each configured vendor.',
})
export type GuardrailPatch = z.infer<typeof GuardrailPatch>

export const NewGuardrail = bodyOf({
  ...patchFields,
  name: GuardrailName,
  workspace_id: z
    .string()
    .max(100)
    .optional()
    .describe('ID or slug of the workspace. Defaults to the workspace of the calling key.'),
}).meta({
  id: 'NewGuardrail',
  ...ifThen(
    { required: ['reset_interval'], properties: { reset_interval: { type: 'string' } } },
    { required: ['limit_usd'], properties: { limit_usd: { type: 'number' } } },
  ),
})
export type NewGuardrail = z.infer<typeof NewGuardrail>
