import type { GenerationRecord } from '#spend/ledger/record.ts'
import type { Policy } from '../guardrails/decide/policy.ts'
import { type RuleAt, rulesAt } from '../guardrails/decide/rules.ts'

type ContentRule = RuleAt<'content'>
type Filters = Pick<Policy, ContentRule>
const contentRules = rulesAt('content')

type Effect = { outcome: 'refused' | 'redacted'; rule: string }

/** The effect of each rule, derived from the findings that were kept with a request. */
const effectsOf: Record<ContentRule, (policy: Filters, found: ReadonlySet<string>) => Effect[]> = {
  content_filter_builtins: ({ content_filter_builtins: builtins }, found) =>
    (builtins ?? []).flatMap(({ slug, action }) => {
      const rule = `content_filter_builtins.${slug}`
      if (action === 'flag' || !found.has(rule)) return []
      return [{ outcome: action === 'block' ? 'refused' : 'redacted', rule }]
    }),
  // A finding names its place in a list that is another one today.
  content_filters: () => [],
}

/**
 * The effects that a policy would have had on a request, by the findings kept with it. Prompts are not kept: if a
 * filter did not run at the time, its effect is unknown.
 */
export function contentOfPast(
  policy: Filters,
  { content_findings: findings }: Pick<GenerationRecord, 'content_findings'>,
): Effect | undefined {
  const found = new Set(findings.map(({ rule }) => rule))
  const effects = contentRules.flatMap(({ rule }) => effectsOf[rule](policy, found))
  return effects.find(({ outcome }) => outcome === 'refused') ?? effects[0]
}

/** The filters whose effect is not known for a request without a finding of theirs; a flag changes nothing. */
export function undecidedFilters(policy: Filters): ContentRule[] {
  const acts = ({ action }: { action: string }) => action !== 'flag'
  return contentRules.flatMap(({ rule }) => (policy[rule]?.some(acts) ? [rule] : []))
}
