import { type Part, partsOf, ruleMatches } from './match-rule.ts'
import { type Action, type Decision, type Effect, effects, type RuleSet } from './rule.ts'

/**
 * Decides about an action by rules; undefined if no rule matches. In each set the first matching rule decides, and the
 * strictest decision of all sets applies. A list of commands is allowed only if each command is, and denied if one is.
 */
export function decide(sets: RuleSet[], action: Action, agent: string): Decision | undefined {
  const decisions = partsOf(action, agent).map((part) => strictest(sets.map((set) => decidePart(set, part))))
  if (decisions.some((decision) => decision === undefined || decision.effect !== 'allow'))
    return strictest(decisions.filter((decision) => decision?.effect !== 'allow'))
  return decisions[0]
}

const strictnessOf = (effect: Effect) => effects.indexOf(effect)

function strictest(decisions: (Decision | undefined)[]): Decision | undefined {
  return decisions.reduce((strict, next) => {
    if (!strict || !next) return strict ?? next
    return strictnessOf(next.effect) > strictnessOf(strict.effect) ? next : strict
  }, undefined)
}

/**
 * If it is uncertain whether a `deny` matches, the following rules decide, but can only require a question instead of an
 * `allow`: an action that may be denied is never allowed without a question.
 */
function decidePart({ scope, version, rules }: RuleSet, part: Part): Decision | undefined {
  let possible: Decision | undefined
  for (const [at, rule] of rules.entries()) {
    const found = ruleMatches(rule, part)
    if (found === 'no') continue
    const decision: Decision = { effect: rule.effect, scope, version, rule: at + 1, name: rule.name ?? null, why: null }
    if (found === 'yes' || rule.effect === 'ask') return possible ? strictest([possible, decision]) : decision
    possible ??= { ...decision, effect: 'ask', why: uncertain }
  }
  return possible
}

const uncertain = 'It is uncertain whether a rule denies this action, so it requires a question.'
