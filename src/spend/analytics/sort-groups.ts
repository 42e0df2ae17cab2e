import type { DimensionName } from './dimensions.ts'
import type { Group } from './group.ts'
import { type MetricName, metrics } from './metrics.ts'

export type Order = { field: MetricName | DimensionName | 'date'; direction: 'asc' | 'desc' }

type SortOptions = {
  order: readonly Order[]
  dimensions: readonly DimensionName[]
  /** The maximum rows per combination of dimensions, and in total. */
  groupLimit: number | undefined
  limit: number
}

/** Sorts groups and limits their number. */
export function sortGroups(groups: readonly Group[], options: SortOptions): { groups: Group[]; isTruncated: boolean } {
  const keys = options.order.map(({ field, direction }): SortKeys => {
    return {
      values: groups.map((group) => sortKey(group, field, options.dimensions)),
      sign: direction === 'asc' ? 1 : -1,
    }
  })
  const indexes = Array.from(groups, (_, index) => index).sort((a, b) => compare(a, b, keys))
  const sorted = indexes.map((index) => groups[index]!)
  const limitedGroups = options.groupLimit === undefined ? sorted : limitEachCombination(sorted, options.groupLimit)
  const selected = limitedGroups.slice(0, options.limit)
  return { groups: selected, isTruncated: selected.length < groups.length }
}

type Key = string | number | null

/** The sort values of the groups. */
type SortKeys = { values: readonly Key[]; sign: 1 | -1 }

function sortKey(group: Group, field: Order['field'], dimensions: readonly DimensionName[]): Key {
  if (field === 'date') return group.start
  const index = dimensions.indexOf(field as DimensionName)
  return index >= 0 ? group.values[index]! : metrics[field as MetricName].compute(group)
}

/** Compares two groups by their indexes. Missing values come last. */
function compare(a: number, b: number, keys: readonly SortKeys[]): number {
  for (const { values, sign } of keys) {
    const first = values[a]!
    const second = values[b]!
    if (first === second) continue
    if (first === null || second === null) return first === null ? 1 : -1
    return first < second ? -sign : sign
  }
  return 0
}

/** The first groups of each combination of dimension values. */
function limitEachCombination(groups: readonly Group[], limit: number): Group[] {
  const counts = new Map<string, number>()
  const firstGroups: Group[] = []
  for (const group of groups) {
    const combination = group.values.join('\n')
    const count = counts.get(combination) ?? 0
    if (count === limit) continue
    counts.set(combination, count + 1)
    firstGroups.push(group)
  }
  return firstGroups
}
