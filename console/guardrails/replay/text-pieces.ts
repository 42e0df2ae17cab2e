import type { TriedText } from '../../api/types.ts'

type Found = TriedText['found'][number]
/** A piece of a text with the findings that cover it, strictest action first. */
export type Piece = { text: string; findings: Found[] }

const actionsByStrictness: Found['action'][] = ['block', 'redact', 'flag']

/** Splits a text at the start and the end of each finding. */
export function splitText(text: string, found: Found[]): Piece[] {
  const cuts = new Set([0, text.length, ...found.flatMap(({ start, end }) => [start, end])])
  const positions = [...cuts].sort((a, b) => a - b)
  return positions.slice(1).map((end, index) => {
    const start = positions[index]!
    const covering = found.filter((one) => one.start <= start && one.end >= end)
    return {
      text: text.slice(start, end),
      findings: covering.sort((a, b) => actionsByStrictness.indexOf(a.action) - actionsByStrictness.indexOf(b.action)),
    }
  })
}

/** The number of findings of each rule. */
export function countByRule(found: Found[]): { rule: string; action: Found['action']; count: number }[] {
  const counts = Map.groupBy(found, ({ rule }) => rule)
  return [...counts].map(([rule, all]) => ({ rule, action: all[0]!.action, count: all.length }))
}
