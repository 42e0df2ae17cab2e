import { applyRules, type FailedFilter, type LeafMatches } from './apply-rules.ts'
import type { FilterAction } from './detectors/builtins.ts'
import type { FilterRule } from './rules.ts'
import { type Replacement, replaceSpans } from './span.ts'
import { type Leaf, rewriteBody } from './texts/leaves.ts'

/**
 * The forms of one request by name, such as the client's body and the chat request that it was translated to. They have the same
 * texts, and can be one object.
 */
type Bodies = Record<string, object>

/** A match of a rule for the record: never the text. */
export type Finding = Pick<FilterRule, 'guardrail' | 'rule'> & {
  action: Exclude<FilterAction, 'block'>
  count: number
}

/** The request must not be sent, because a filter has found something or failed. */
export type BlockedResult = Pick<FilterRule, 'guardrail' | 'rule'> & { outcome: 'blocked'; reason: 'found' | 'failed' }

/** The findings if nothing blocks, and the changed bodies. */
export type FilteredResult = { outcome: 'filtered'; bodies: Bodies | undefined; findings: Finding[] }

/**
 * Applies the rules to the forms of one request, strictest first. A text that occurs in several forms is checked once.
 * @param onRuleStart called with the index of each rule before it runs.
 */
export function filterBodies(
  rules: readonly FilterRule[],
  bodies: Bodies,
  onRuleStart?: (rule: number) => void,
): BlockedResult | FilteredResult {
  const texts = collectLeaves(bodies)
  const leaves = [...texts.leaves.values()]
  const result = applyRules(rules, leaves, onRuleStart)
  const refusal = findBlocking(rules, result)
  if (refusal) return refusal
  // `findBlocking` returns a refusal for a failed filter, so these are matches.
  const matches = result as LeafMatches[]
  const rewritten = redactLeaves(rules, leaves, matches)
  const newTextOf = (leaf: Leaf) => rewritten.get(keyOf(leaf)) ?? leaf.text
  return {
    outcome: 'filtered',
    bodies: rewritten.size === 0 ? undefined : mapBodies(bodies, (body) => rewriteBody(body, newTextOf)),
    findings: countFindings(rules, matches, texts.occurrences),
  }
}

/** Changes each body once, also if two forms are the same object. */
function mapBodies(bodies: Bodies, change: (body: object) => object): Bodies {
  const changed = new Map<object, object>()
  const changeOnce = (body: object) => changed.getOrInsertComputed(body, change)
  return Object.fromEntries(Object.entries(bodies).map(([name, body]) => [name, changeOnce(body)]))
}

/** The author of a text and the name of its field can change the result, so both are part of the key. */
function keyOf({ text, context, isByUser }: Leaf): string {
  return `${isByUser ? 1 : 0}${context.length}:${context}${text}`
}

/** Collects the distinct texts of all forms. Forms repeat texts, so the occurrences are those of the form with the most. */
function collectLeaves(bodies: Bodies): { leaves: Map<string, Leaf>; occurrences: number[] } {
  const leaves = new Map<string, Leaf>()
  const maxOccurrences = new Map<string, number>()
  for (const body of new Set(Object.values(bodies))) {
    const counts = new Map<string, number>()
    rewriteBody(body, (leaf) => {
      const key = keyOf(leaf)
      leaves.set(key, leaf)
      counts.set(key, (counts.get(key) ?? 0) + 1)
      return leaf.text
    })
    for (const [key, times] of counts) maxOccurrences.set(key, Math.max(times, maxOccurrences.get(key) ?? 0))
  }
  return { leaves, occurrences: [...leaves.keys()].map((key) => maxOccurrences.get(key)!) }
}

/** Returns the first match that blocks. Rules are ordered by strictness. */
function findBlocking(rules: readonly FilterRule[], result: LeafMatches[] | FailedFilter): BlockedResult | undefined {
  if ('failedRule' in result) return blockedResult(rules[result.failedRule]!, 'failed')
  const first = result.find(({ rule }) => rules[rule]!.action === 'block')
  return first && blockedResult(rules[first.rule]!, 'found')
}

export function blockedResult({ guardrail, rule }: FilterRule, reason: BlockedResult['reason']): BlockedResult {
  return { outcome: 'blocked', guardrail, rule, reason }
}

/** The new values of the texts that change. */
function redactLeaves(rules: readonly FilterRule[], leaves: Leaf[], matches: LeafMatches[]): Map<string, string> {
  const replacements = new Map<number, Replacement[]>()
  for (const { rule, leaf, bounds } of matches) {
    const { action, label } = rules[rule]!
    if (action !== 'redact') continue
    const spansOfLeaf = replacements.get(leaf) ?? []
    for (let i = 0; i < bounds.length; i += 2) spansOfLeaf.push({ start: bounds[i]!, end: bounds[i + 1]!, label })
    replacements.set(leaf, spansOfLeaf)
  }
  return new Map(
    [...replacements].map(([leaf, spans]) => [keyOf(leaves[leaf]!), replaceSpans(leaves[leaf]!.text, spans)]),
  )
}

function countFindings(rules: readonly FilterRule[], matches: LeafMatches[], occurrences: number[]): Finding[] {
  const counts = new Map<number, number>()
  for (const { rule, leaf, bounds } of matches) {
    counts.set(rule, (counts.get(rule) ?? 0) + (bounds.length / 2) * occurrences[leaf]!)
  }
  return [...counts].map(([index, times]) => {
    const { guardrail, rule, action } = rules[index]!
    // Matches of blocking rules have become a refusal before.
    return { guardrail, rule, action: action as Finding['action'], count: times }
  })
}
