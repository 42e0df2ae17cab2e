import { type Part, partsOf, ruleMatches } from './match-rule.ts'
import { type Action, type Decision, type Effect, effects, type RuleSet } from './rule.ts'

/**
 * What the rules decide about an action; undefined where no rule does. In each set the first rule that matches decides; of
 * several sets the stricter. A command of several commands is allowed only if each of them is, and denied if one is.
 */
export function judge(sets: RuleSet[], action: Action, agent: string): Decision | undefined {
  const decisions = partsOf(action, agent).map((part) => strictest(sets.map((set) => judgePart(set, part))))
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
 * A `deny` that perhaps holds does not decide, but what comes after it can no more than ask: nobody is granted what may be
 * denied.
 */
function judgePart({ scope, version, rules }: RuleSet, part: Part): Decision | undefined {
  let perhaps: Decision | undefined
  for (const [at, rule] of rules.entries()) {
    const found = ruleMatches(rule, part)
    if (found === 'no') continue
    const decision: Decision = { effect: rule.effect, scope, version, rule: at + 1, name: rule.name ?? null, why: null }
    if (found === 'yes' || rule.effect === 'ask') return perhaps ? strictest([perhaps, decision]) : decision
    perhaps ??= { ...decision, effect: 'ask', why: uncertain }
  }
  return perhaps
}

const uncertain = 'Whether this is denied cannot be told with certainty, so somebody is asked.'
