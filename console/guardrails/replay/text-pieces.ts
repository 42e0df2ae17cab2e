import type { TriedText } from '../../api/types.ts'

type Finding = TriedText['found'][number]
/** A piece of a text with the findings that cover it, strictest action first. */
type Piece = { text: string; findings: Finding[] }

const actionsByStrictness: Finding['action'][] = ['block', 'redact', 'flag']

/** Splits a text at the start and the end of each finding. */
export function splitText(text: string, findings: Finding[]): Piece[] {
  const cuts = new Set([0, text.length, ...findings.flatMap(({ start, end }) => [start, end])])
  const positions = [...cuts].sort((a, b) => a - b)
  return positions.slice(1).map((end, index) => {
    const start = positions[index]!
    const covering = findings.filter((one) => one.start <= start && one.end >= end)
    return {
      text: text.slice(start, end),
      findings: covering.sort((a, b) => actionsByStrictness.indexOf(a.action) - actionsByStrictness.indexOf(b.action)),
    }
  })
}

/** The number of findings of each rule. */
export function countByRule(findings: Finding[]): { rule: string; action: Finding['action']; count: number }[] {
  const byRule = Map.groupBy(findings, ({ rule }) => rule)
  return [...byRule].map(([rule, ofRule]) => ({ rule, action: ofRule[0]!.action, count: ofRule.length }))
}
