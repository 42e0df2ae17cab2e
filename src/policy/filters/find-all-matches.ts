import { applyRules } from './apply-rules.ts'
import { type BlockedResult, blockedResult } from './filter-bodies.ts'
import type { FilterRule } from './filter-rule.ts'

/** A match of a rule in a text. Positions are in UTF-16 code units; the end is exclusive. */
type RuleMatch = Pick<FilterRule, 'guardrail' | 'rule' | 'action'> & { start: number; end: number }

/** Every match of every rule, in order of the text. */
export type AllMatches = { outcome: 'found'; matches: RuleMatch[] }

/** Finds all matches in one text of the user, also after a match that blocks. Used to try out rules. */
export function findAllMatches(
  rules: readonly FilterRule[],
  text: string,
  onRuleStart?: (rule: number) => void,
): BlockedResult | AllMatches {
  const leaf = { text, context: '', isByUser: true }
  const { matches, failedRule } = applyRules(rules, [leaf], { stopsAtBlock: false, onRuleStart })
  if (failedRule) return blockedResult(failedRule, 'failed')
  const found = matches.flatMap(({ rule: { guardrail, rule, action }, spans }) =>
    spans.map(({ start, end }) => ({ guardrail, rule, action, start, end })),
  )
  return { outcome: 'found', matches: found.sort((a, b) => a.start - b.start || b.end - a.end) }
}
