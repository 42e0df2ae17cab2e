import { applyRules, type RuleMatches } from './apply-rules.ts'
import type { FilterAction } from './detectors/builtins.ts'
import type { FilterRule } from './filter-rule.ts'
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

/** The findings if nothing blocks, and the changed bodies; undefined without a change. */
export type FilteredResult = { outcome: 'filtered'; bodies: Bodies | undefined; findings: Finding[] }

/**
 * Applies the rules to the forms of one request. A text that occurs in several forms is checked once.
 * @param rules strictest first, so that nothing is searched after a blocking rule that matches.
 * @param onRuleStart called with the index of each rule before it runs.
 */
export function filterBodies(
  rules: readonly FilterRule[],
  bodies: Bodies,
  onRuleStart?: (rule: number) => void,
): BlockedResult | FilteredResult {
  const occurrences = collectLeaves(bodies)
  const { matches, failedRule } = applyRules(rules, [...occurrences.keys()], { stopsAtBlock: true, onRuleStart })
  if (failedRule) return blockedResult(failedRule, 'failed')
  const blocking = matches.find(({ rule }) => rule.action === 'block')
  if (blocking) return blockedResult(blocking.rule, 'found')
  return {
    outcome: 'filtered',
    bodies: redactBodies(bodies, matches),
    findings: countFindings(matches, occurrences),
  }
}

export function blockedResult({ guardrail, rule }: FilterRule, reason: BlockedResult['reason']): BlockedResult {
  return { outcome: 'blocked', guardrail, rule, reason }
}

/** The author of a text and the name of its field can change the result, so both are part of the key. */
function keyOf({ text, context, isByUser }: Leaf): string {
  return `${isByUser ? 1 : 0}${context.length}:${context}${text}`
}

/** Returns the distinct texts with their number. Forms repeat texts, so the number is that of the form with the most. */
function collectLeaves(bodies: Bodies): Map<Leaf, number> {
  const leaves = new Map<string, Leaf>()
  const occurrences = new Map<Leaf, number>()
  for (const body of new Set(Object.values(bodies))) {
    const counts = new Map<Leaf, number>()
    rewriteBody(body, (found) => {
      const leaf = leaves.getOrInsertComputed(keyOf(found), () => found)
      counts.set(leaf, (counts.get(leaf) ?? 0) + 1)
      return found.text
    })
    for (const [leaf, times] of counts) occurrences.set(leaf, Math.max(times, occurrences.get(leaf) ?? 0))
  }
  return occurrences
}

/** @returns undefined if no rule redacts a match. */
function redactBodies(bodies: Bodies, matches: readonly RuleMatches[]): Bodies | undefined {
  const redacted = redactLeaves(matches)
  if (redacted.size === 0) return undefined
  const newTextOf = (leaf: Leaf) => redacted.get(keyOf(leaf)) ?? leaf.text
  // Two forms that are the same object stay one object.
  const changedBodies = new Map<object, object>()
  return Object.fromEntries(
    Object.entries(bodies).map(([name, body]) => [
      name,
      changedBodies.getOrInsertComputed(body, () => rewriteBody(body, newTextOf)),
    ]),
  )
}

/** The new values of the texts that change, by `keyOf`. */
function redactLeaves(matches: readonly RuleMatches[]): Map<string, string> {
  const replacements = new Map<Leaf, Replacement[]>()
  for (const { rule, leaf, spans } of matches) {
    if (rule.action !== 'redact') continue
    const ofLeaf = replacements.getOrInsertComputed(leaf, () => [])
    for (const { start, end } of spans) ofLeaf.push({ start, end, label: rule.label })
  }
  return new Map([...replacements].map(([leaf, ofLeaf]) => [keyOf(leaf), replaceSpans(leaf.text, ofLeaf)]))
}

function countFindings(matches: readonly RuleMatches[], occurrences: ReadonlyMap<Leaf, number>): Finding[] {
  const findings = new Map<FilterRule, Finding>()
  for (const { rule, leaf, spans } of matches) {
    const { guardrail, rule: name, action } = rule
    // A match of a blocking rule has become a refusal before.
    if (action === 'block') continue
    const finding = findings.getOrInsertComputed(rule, () => ({ guardrail, rule: name, action, count: 0 }))
    finding.count += spans.length * (occurrences.get(leaf) ?? 0)
  }
  return [...findings.values()]
}
