import { type Blocked, blockedBy } from './filter-bodies.ts'
import { findIn } from './find.ts'
import type { Rule } from './rules.ts'

/** A match of a rule in a text, in UTF-16 code units, the end excluded. */
export type PlaceFound = Pick<Rule, 'guardrail' | 'rule' | 'action'> & { start: number; end: number }

/** Every match of every rule, in order of the text. */
export type Places = { outcome: 'found'; places: PlaceFound[] }

/** Finds all matches in one text of the user, also after a match that blocks. Used to try out rules. */
export function findAll(rules: readonly Rule[], text: string, begins?: (rule: number) => void): Blocked | Places {
  // A blocking rule would end the search.
  const noting = rules.map((rule) => ({ ...rule, action: 'flag' as const }))
  const found = findIn(noting, [{ text, context: '', user: true }], begins)
  if ('failedRule' in found) return blockedBy(rules[found.failedRule]!, 'failed')
  const places = found.flatMap(({ rule, places: ends }) => {
    const { guardrail, rule: name, action } = rules[rule]!
    return Array.from({ length: ends.length / 2 }, (_, i) => ({
      guardrail,
      rule: name,
      action,
      start: ends[2 * i]!,
      end: ends[2 * i + 1]!,
    }))
  })
  return { outcome: 'found', places: places.sort((a, b) => a.start - b.start || b.end - a.end) }
}
