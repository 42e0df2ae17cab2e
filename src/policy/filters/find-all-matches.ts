import { applyRules } from './apply-rules.ts'
import { type BlockedResult, blockedResult } from './filter-bodies.ts'
import type { FilterRule } from './rules.ts'

/** A match of a rule in a text, in UTF-16 code units, the end excluded. */
type RuleMatch = Pick<FilterRule, 'guardrail' | 'rule' | 'action'> & { start: number; end: number }

/** Every match of every rule, in order of the text. */
export type AllMatches = { outcome: 'found'; matches: RuleMatch[] }

/** Finds all matches in one text of the user, also after a match that blocks. Used to try out rules. */
export function findAll(
  rules: readonly FilterRule[],
  text: string,
  onRuleStart?: (rule: number) => void,
): BlockedResult | AllMatches {
  // A blocking rule would end the search.
  const nonBlockingRules = rules.map((rule) => ({ ...rule, action: 'flag' as const }))
  const result = applyRules(nonBlockingRules, [{ text, context: '', isByUser: true }], onRuleStart)
  if ('failedRule' in result) return blockedResult(rules[result.failedRule]!, 'failed')
  const matches = result.flatMap(({ rule, bounds }) => {
    const { guardrail, rule: name, action } = rules[rule]!
    return Array.from({ length: bounds.length / 2 }, (_, i) => ({
      guardrail,
      rule: name,
      action,
      start: bounds[2 * i]!,
      end: bounds[2 * i + 1]!,
    }))
  })
  return { outcome: 'found', matches: matches.sort((a, b) => a.start - b.start || b.end - a.end) }
}
