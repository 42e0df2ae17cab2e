import type { GenerationRecord } from '#spend/ledger/record.ts'
import type { Policy } from '../guardrails/decide/policy.ts'
import { type RuleOfStage, rulesOfStage } from '../guardrails/decide/rules.ts'

type ContentRule = RuleOfStage<'content'>
type ContentFields = Pick<Policy, ContentRule>
const contentRules = rulesOfStage('content')

type PastContentEffect = { outcome: 'refused' | 'redacted'; rule: string }

/** The effect of each rule, derived from the stored findings of a request. */
const effectsOf: Record<ContentRule, (policy: ContentFields, found: ReadonlySet<string>) => PastContentEffect[]> = {
  content_filter_builtins: ({ content_filter_builtins: builtins }, found) =>
    (builtins ?? []).flatMap(({ slug, action }) => {
      const rule = `content_filter_builtins.${slug}`
      if (action === 'flag' || !found.has(rule)) return []
      return [{ outcome: action === 'block' ? 'refused' : 'redacted', rule }]
    }),
  // A finding contains an index into a list that may have changed.
  content_filters: () => [],
}

/**
 * The effects that a policy would have had on a request, by its stored findings. Prompts are not stored, so the effect
 * of a filter that did not run at the time is unknown.
 */
export function pastContentEffect(
  policy: ContentFields,
  { content_findings: findings }: Pick<GenerationRecord, 'content_findings'>,
): PastContentEffect | undefined {
  const found = new Set(findings.map(({ rule }) => rule))
  const effects = contentRules.flatMap(({ rule }) => effectsOf[rule](policy, found))
  return effects.find(({ outcome }) => outcome === 'refused') ?? effects[0]
}

/**
 * The rules of a policy with filters that block or redact. Their effect on a request without findings of them is unknown.
 * Filters that only flag have no effect.
 */
export function findUndecidableFilters(policy: ContentFields): ContentRule[] {
  const changesRequest = ({ action }: { action: string }) => action !== 'flag'
  return contentRules.flatMap(({ rule }) => (policy[rule]?.some(changesRequest) ? [rule] : []))
}
