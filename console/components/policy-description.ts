import type { Guardrail } from '../api/types.ts'
import { money } from '../format/money.ts'
import { dataRuleNames, dataRules } from './data-rules.ts'

/** A guardrail, or a draft of one. */
type Policy = Omit<Guardrail, 'id' | 'workspace_id' | 'created_at' | 'updated_at'>
type Builtin = NonNullable<Policy['content_filter_builtins']>[number]

const periods = { daily: 'per day', weekly: 'per week', monthly: 'per month' }
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
function listed(items: string[]): string {
  const omittedCount = items.length - maxNamed
  return omittedCount > 0 ? `${items.slice(0, maxNamed).join(', ')} and ${omittedCount} more` : items.join(', ')
}

/** Describes a policy with a sentence for each rule. Empty without rules. */
export function describePolicy(policy: Policy): string[] {
  const { allowed_models, ignored_models, allowed_providers, ignored_providers, allowed_data_regions } = policy
  return [
    ...describeLimit(policy),
    ...(policy.group_limits ?? []).map((limit) => `At most ${groupLimitText(limit)}.`),
    ...(allowed_models ? [`Allowed models: ${listed(allowed_models)}.`] : []),
    ...(ignored_models ? [`Blocked models: ${listed(ignored_models)}.`] : []),
    ...(allowed_providers ? [`Allowed providers: ${listed(allowed_providers)}.`] : []),
    ...(ignored_providers ? [`Blocked providers: ${listed(ignored_providers)}.`] : []),
    ...(allowed_data_regions
      ? [`Allowed regions: ${allowed_data_regions.map((region) => regions[region]).join(' or ')}.`]
      : []),
    ...describeDataRules(policy),
    ...describeFilters(policy),
  ]
}

function describeLimit({ limit_usd, reset_interval, include_byok_in_budgets }: Policy): string[] {
  if (limit_usd === null) return []
  const byok = include_byok_in_budgets ? ', own provider keys included' : ''
  return [`At most ${money(limit_usd)} ${reset_interval ? periods[reset_interval] : 'in total'}${byok}.`]
}

type GroupLimit = NonNullable<Policy['group_limits']>[number]

/** `$5.00 per day for each value of the tag customer` */
export function groupLimitText({ by, tag_name, limit_usd, reset_interval }: GroupLimit): string {
  const each = by === 'session' ? 'each session' : `each value of the tag ${tag_name}`
  return `${money(limit_usd)} ${reset_interval ? periods[reset_interval] : 'in total'} for ${each}`
}

function describeDataRules(policy: Policy): string[] {
  const vendors = {
    'vendor a': policy.enforce_zdr_vendor_a,
    'vendor b': policy.enforce_zdr_vendor_b,
    'vendor c': policy.enforce_zdr_vendor_c,
    'vendor d': policy.enforce_zdr_vendor_d,
    'all other vendors': policy.enforce_zdr_other,
  }
  const requiresZdr = (own: boolean | null) => own ?? policy.enforce_zdr
  const zdrVendors = Object.entries(vendors).flatMap(([name, own]) => (requiresZdr(own) ? [name] : []))
  const label = zdrVendors.length === 5 ? 'Models' : `Models of ${zdrVendors.join(', ')}`
  return [
    ...(zdrVendors.length > 0 ? [`${label} only with zero data retention.`] : []),
    ...dataRuleNames.filter((name) => policy[name] === false).map((name) => dataRules[name].description),
  ]
}

function describeFilters({ content_filter_builtins, content_filters }: Policy): string[] {
  return (['block', 'redact', 'flag'] as const).flatMap((action) => {
    const found = (content_filter_builtins ?? [])
      .filter((one) => one.action === action)
      .map(({ slug }) => builtinFilterNames[slug] ?? slug)
    const patterns = (content_filters ?? []).filter((one) => one.action === action).map(({ pattern }) => `“${pattern}”`)
    const all = [...found, ...patterns]
    return all.length > 0 ? [`Text with ${listed(all)} ${effects[action]}.`] : []
  })
}
