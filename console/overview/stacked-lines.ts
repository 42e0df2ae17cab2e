import type { PlotLine } from '../components/plot.tsx'
import type { Row } from './queries.ts'

/** More than these cannot be told apart; the rest is one line. */
const maxLines = 5

export const noGroup = 'without one'

export const nameOf = (row: Row, dimension: string) => String(row[dimension] ?? noGroup)
const amountIn = (row: Row, metric: string) => Number(row[metric] ?? 0)

/** Every step from `from` to `to`, in seconds, as plots want them. Steps without a request have no row. */
export function stepsBetween({ from, to, stepMs }: { from: number; to: number; stepMs: number }): number[] {
  const steps: number[] = []
  for (let at = Math.ceil(from / stepMs) * stepMs; at < to; at += stepMs) steps.push(at / 1000)
  return steps
}

/** One metric over time. @param missing what a step without a request has. */
export function lineOf(rows: Row[], metric: string, times: number[], missing: number | null): (number | null)[] {
  const byTime = new Map(rows.map((row) => [Date.parse(row.date!) / 1000, row[metric] as number | null]))
  return times.map((time) => byTime.get(time) ?? missing)
}

/** Those that are told apart, the most expensive first, and how many are not. */
export function topGroups(groups: Row[], dimension: string): { names: string[]; others: number } {
  const cost = (row: Row) => amountIn(row, 'upstream_inference_cost')
  const all = groups.toSorted((a, b) => cost(b) - cost(a)).map((row) => nameOf(row, dimension))
  const names = all.length > maxLines + 1 ? all.slice(0, maxLines) : all
  return { names, others: all.length - names.length }
}

/** A metric over time for each of these, and one line for all others: the same order, so the same colours, in each plot. */
export function stackOf(
  rows: Row[],
  dimension: string,
  metric: string,
  times: number[],
  { names, others }: { names: string[]; others: number },
): PlotLine[] {
  const isShown = new Set(names)
  const lines = names.map((label) => ({
    label,
    values: summed(rows, metric, times, (row) => nameOf(row, dimension) === label),
  }))
  if (others === 0) return lines
  const rest = summed(rows, metric, times, (row) => !isShown.has(nameOf(row, dimension)))
  return [...lines, { label: `${others} others`, values: rest }]
}

function summed(rows: Row[], metric: string, times: number[], takes: (row: Row) => boolean): number[] {
  const at = new Map(times.map((time, index) => [time, index]))
  const values = times.map(() => 0)
  for (const row of rows) {
    const index = at.get(Date.parse(row.date!) / 1000)
    if (index !== undefined && takes(row)) values[index]! += amountIn(row, metric)
  }
  return values
}
