import type { Guardrail } from '../../api/types.ts'
import { money } from '../../format/money.ts'
import { dataRuleNames, dataRules } from './data-rules.ts'

/** A guardrail, or a draft of one. */
type GuardrailFields = Omit<Guardrail, 'id' | 'workspace_id' | 'created_at' | 'updated_at'>
type Builtin = NonNullable<GuardrailFields['content_filter_builtins']>[number]

const periods = { daily: 'per day', weekly: 'per week', monthly: 'per month' }
/** The interval of a limit as text after its amount. */
export const periodText = (interval: keyof typeof periods | null) => (interval ? periods[interval] : 'in total')
const regions = { global: 'hosts without a region', europe: 'Europe', us: 'the US' }
/** A description for each built-in filter. */
export const builtinFilterNames: Record<Builtin['slug'], string> = {
  email: 'email addresses',
  phone: 'phone numbers',
  ssn: 'US social security numbers',
  'credit-card': 'credit card numbers',
  'ip-address': 'IP addresses',
  secrets: 'keys and passwords',
  'person-name': 'person names',
  address: 'postal addresses',
  'regex-prompt-injection': 'prompt injection',
}
const effects = { block: 'is blocked', redact: 'is redacted', flag: 'is flagged' }
/** Longer lists end with a count. */
const maxNamed = 6

/** `a, b and 3 more` */
function joinNames(items: string[]): string {
  const omittedCount = items.length - maxNamed
  return omittedCount > 0 ? `${items.slice(0, maxNamed).join(', ')} and ${omittedCount} more` : items.join(', ')
}

/** Describes a policy with a sentence for each rule. Empty without rules. */
export function describePolicy(policy: GuardrailFields): string[] {
  const groupLimits = (policy.group_limits ?? []).map((limit) => `At most ${groupLimitText(limit)}.`)
  return [
    ...describeLimit(policy),
    ...groupLimits,
    ...describeLists(policy),
    ...describeDataRules(policy),
    ...describeFilters(policy),
  ]
}

function describeLists(policy: GuardrailFields): string[] {
  const sentences: string[] = []
  const add = (label: string, items: string[] | null) => {
    if (items) sentences.push(`${label}: ${joinNames(items)}.`)
  }
  add('Allowed models', policy.allowed_models)
  add('Blocked models', policy.ignored_models)
  add('Allowed providers', policy.allowed_providers)
  add('Blocked providers', policy.ignored_providers)
  const allowedRegions = policy.allowed_data_regions?.map((region) => regions[region])
  if (allowedRegions) sentences.push(`Allowed regions: ${allowedRegions.join(' or ')}.`)
  return sentences
}

function describeLimit({ limit_usd, reset_interval, include_byok_in_budgets }: GuardrailFields): string[] {
  if (limit_usd === null) return []
  const byok = include_byok_in_budgets ? ', own provider keys included' : ''
  return [`At most ${money(limit_usd)} ${periodText(reset_interval)}${byok}.`]
}

type GroupLimit = NonNullable<GuardrailFields['group_limits']>[number]

/** `$5.00 per day for each value of the tag customer` */
export function groupLimitText({ by, tag_name, limit_usd, reset_interval }: GroupLimit): string {
  const each = by === 'session' ? 'each session' : `each value of the tag ${tag_name}`
  return `${money(limit_usd)} ${periodText(reset_interval)} for ${each}`
}

function describeDataRules(policy: GuardrailFields): string[] {
  const vendors = {
    'vendor a': policy.enforce_zdr_vendor_a,
    'vendor b': policy.enforce_zdr_vendor_b,
    'vendor c': policy.enforce_zdr_vendor_c,
    'vendor d': policy.enforce_zdr_vendor_d,
    'all other vendors': policy.enforce_zdr_other,
  }
  // A vendor without its own setting follows `enforce_zdr`.
  const requiresZdr = (vendorSetting: boolean | null) => vendorSetting ?? policy.enforce_zdr
  const zdrVendors = Object.entries(vendors).flatMap(([name, setting]) => (requiresZdr(setting) ? [name] : []))
  const isEveryVendor = zdrVendors.length === Object.keys(vendors).length
  const models = isEveryVendor ? 'Models' : `Models of ${zdrVendors.join(', ')}`
  const zdrSentences = zdrVendors.length > 0 ? [`${models} only with zero data retention.`] : []
  const rules = dataRuleNames.filter((name) => policy[name] === false)
  return [...zdrSentences, ...rules.map((name) => dataRules[name].description)]
}

function describeFilters({ content_filter_builtins, content_filters }: GuardrailFields): string[] {
  return (['block', 'redact', 'flag'] as const).flatMap((action) => {
    const builtins = (content_filter_builtins ?? []).filter((filter) => filter.action === action)
    const patterns = (content_filters ?? []).filter((filter) => filter.action === action)
    const all = [
      ...builtins.map(({ slug }) => builtinFilterNames[slug] ?? slug),
      ...patterns.map(({ pattern }) => `“${pattern}”`),
    ]
    return all.length > 0 ? [`Text with ${joinNames(all)} ${effects[action]}.`] : []
  })
}
