import { type ActionPart, areTooComplex, matchRule, splitAction } from './match-rule.ts'
import { type Action, type Decision, type Effect, effects, type RuleSet } from './rule.ts'

/**
 * Decides about an action by rules; undefined if no rule matches. In each set the first matching rule decides, and the
 * strictest decision of all sets applies. A list of commands is allowed only if each command is, and denied if one is.
 */
export function decide(sets: RuleSet[], action: Action, agent: string): Decision | undefined {
  const parts = splitAction(action, agent)
  const isTooComplex = areTooComplex(
    parts,
    sets.flatMap(({ rules }) => rules),
  )
  const decidedParts = isTooComplex ? [{ ...parts[0]!, isTooComplex }] : parts
  const decisions = decidedParts.map((part) => strictestOf(sets.map((set) => decidePart(set, part))))
  const notAllowed = decisions.filter((decision) => decision?.effect !== 'allow')
  // Undefined if no rule decided about these parts: one part that is not allowed prevents the `allow` of the others.
  if (notAllowed.length > 0) return strictestOf(notAllowed)
  return decisions[0]
}

const strictnessOf = (effect: Effect) => effects.indexOf(effect)

function strictestOf(decisions: (Decision | undefined)[]): Decision | undefined {
  let strictest: Decision | undefined
  for (const decision of decisions) {
    if (!decision) continue
    if (!strictest || strictnessOf(decision.effect) > strictnessOf(strictest.effect)) strictest = decision
  }
  return strictest
}

/**
 * If it is uncertain whether a `deny` matches, the following rules decide, but can only require a question instead of an
 * `allow`: an action that may be denied is never allowed without a question.
 */
function decidePart({ scope, version, rules }: RuleSet, part: ActionPart): Decision | undefined {
  let uncertainDeny: Decision | undefined
  for (const [index, rule] of rules.entries()) {
    const match = matchRule(rule, part)
    if (match === 'no') continue
    const position = index + 1
    const decision: Decision = {
      effect: rule.effect,
      scope,
      version,
      rule: position,
      name: rule.name ?? null,
      why: null,
    }
    if (match === 'yes' || rule.effect === 'ask') return strictestOf([uncertainDeny, decision])
    uncertainDeny ??= { ...decision, effect: 'ask', why: uncertaintyReason }
  }
  return uncertainDeny
}

const uncertaintyReason = 'It is uncertain whether a rule denies this action, so it requires a question.'
