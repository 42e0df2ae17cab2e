import { type PlotLine, seriesColour } from '../components/plot/plot-shapes.ts'
import type { Row } from './queries.ts'

/** More lines would be indistinguishable; the other groups share one line. */
const maxLines = 5

/** The name of the group of requests without a value, such as those without a preset. */
export const noValue = 'none'

export const groupName = (row: Row, dimension: string) => String(row[dimension] ?? noValue)
/** Identifies a group. Several can have the same name, such as keys. */
export const groupId = (row: Row, dimension: string) => row.ids?.[dimension] ?? groupName(row, dimension)
const amountIn = (row: Row, metric: string) => Number(row[metric] ?? 0)

/**
 * The start of each step, in Unix seconds, also of steps without requests, which have no row.
 * @param range in milliseconds.
 */
export function stepsBetween({ from, to, stepMs }: { from: number; to: number; stepMs: number }): number[] {
  const steps: number[] = []
  for (let at = Math.ceil(from / stepMs) * stepMs; at < to; at += stepMs) steps.push(at / 1000)
  return steps
}

/** A metric over time. @param missing the value of steps without requests. */
export function lineOf(rows: Row[], metric: string, times: number[], missing: number | null): (number | null)[] {
  const byTime = new Map(rows.map((row) => [Date.parse(row.date!) / 1000, row[metric] as number | null]))
  return times.map((time) => byTime.get(time) ?? missing)
}

/** The names of the groups with their own line, by id, and the number of the others. */
type GroupsWithLine = { names: ReadonlyMap<string, string>; otherCount: number }

/** The groups with their own line, by id, in descending order of a metric, and the number of the others. */
export function groupsWithLine(groups: Row[], dimension: string, metric = 'upstream_inference_cost'): GroupsWithLine {
  const all = groups
    .toSorted((a, b) => amountIn(b, metric) - amountIn(a, metric))
    .map((row): [string, string] => [groupId(row, dimension), groupName(row, dimension)])
  // A single other group gets its own line, instead of a line `1 others`.
  const lines = all.length > maxLines + 1 ? all.slice(0, maxLines) : all
  return { names: new Map(lines), otherCount: all.length - lines.length }
}

/** The colour of a group in each plot. The groups without their own line share the next colour. */
export function colourOfGroup(id: string, names: GroupsWithLine['names']): string {
  const index = [...names.keys()].indexOf(id)
  return seriesColour(index === -1 ? names.size : index)
}

/** A line for each group and one for the others, in the same order and colours in each plot. */
export function stackOf(
  rows: Row[],
  dimension: string,
  metric: string,
  times: number[],
  { names, otherCount }: GroupsWithLine,
): PlotLine[] {
  const lines = [...names].map(([id, label]) => ({
    label,
    values: sumBySteps(rows, metric, times, (row) => groupId(row, dimension) === id),
  }))
  if (otherCount === 0) return lines
  const otherValues = sumBySteps(rows, metric, times, (row) => !names.has(groupId(row, dimension)))
  return [...lines, { label: `${otherCount} others`, values: otherValues }]
}

function sumBySteps(rows: Row[], metric: string, times: number[], filter: (row: Row) => boolean): number[] {
  const indexByTime = new Map(times.map((time, index) => [time, index]))
  const values = times.map(() => 0)
  for (const row of rows) {
    const index = indexByTime.get(Date.parse(row.date!) / 1000)
    if (index !== undefined && filter(row)) values[index]! += amountIn(row, metric)
  }
  return values
}
