import type { Policy } from '#guardrails/policy.ts'
import type { GenerationRecord } from '#usage/record.ts'

type Filters = Pick<Policy, 'content_filter_builtins' | 'content_filters'>

/**
 * What a policy would have done to a request by the findings kept with it. Prompts are not kept: where a filter was not
 * at work at the time, nobody can tell.
 */
export function contentOfPast(
  { content_filter_builtins: builtins }: Filters,
  { content_findings: findings }: Pick<GenerationRecord, 'content_findings'>,
): { outcome: 'refused' | 'redacted'; rule: string } | undefined {
  const found = new Set(findings.map(({ rule }) => rule))
  const acting = (builtins ?? []).filter(({ slug }) => found.has(ruleOf(slug)))
  const by = (action: string) => acting.find((filter) => filter.action === action)
  const blocking = by('block')
  if (blocking) return { outcome: 'refused', rule: ruleOf(blocking.slug) }
  const redacting = by('redact')
  return redacting && { outcome: 'redacted', rule: ruleOf(redacting.slug) }
}

const ruleOf = (slug: string) => `content_filter_builtins.${slug}`

/** The filters whose effect is not known for a request without a finding of theirs; a flag changes nothing. */
export function undecidedFilters(policy: Filters): (keyof Filters)[] {
  const acts = ({ action }: { action: string }) => action !== 'flag'
  return (['content_filter_builtins', 'content_filters'] as const).filter((field) => policy[field]?.some(acts))
}
