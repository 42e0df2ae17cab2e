import type { DimensionName } from './dimensions.ts'
import type { Group } from './group.ts'
import { type MetricName, metrics } from './metrics.ts'

export type Order = { field: MetricName | DimensionName | 'date'; direction: 'asc' | 'desc' }

type Arranged = {
  order: readonly Order[]
  dimensions: readonly DimensionName[]
  /** The maximum rows per combination of dimensions, and in total. */
  groupLimit: number | undefined
  limit: number
}

/** Sorts groups and limits their number. */
export function arrange(groups: readonly Group[], how: Arranged): { groups: Group[]; isTruncated: boolean } {
  const keys = how.order.map(({ field, direction }): Keys => {
    return { of: groups.map((group) => keyOf(group, field, how.dimensions)), sign: direction === 'asc' ? 1 : -1 }
  })
  const places = Array.from(groups, (_, at) => at).sort((a, b) => compare(a, b, keys))
  const sorted = places.map((at) => groups[at]!)
  const limited = how.groupLimit === undefined ? sorted : firstOfEach(sorted, how.groupLimit)
  const selected = limited.slice(0, how.limit)
  return { groups: selected, isTruncated: selected.length < groups.length }
}

type Key = string | number | null

/** The sort values of the groups. */
type Keys = { of: readonly Key[]; sign: 1 | -1 }

function keyOf(group: Group, field: Order['field'], by: readonly DimensionName[]): Key {
  if (field === 'date') return group.start
  const at = by.indexOf(field as DimensionName)
  return at >= 0 ? group.values[at]! : metrics[field as MetricName].of(group)
}

/** Compares groups. Missing values come last. */
function compare(a: number, b: number, keys: readonly Keys[]): number {
  for (const { of, sign } of keys) {
    const first = of[a]!
    const second = of[b]!
    if (first === second) continue
    if (first === null || second === null) return first === null ? 1 : -1
    return first < second ? -sign : sign
  }
  return 0
}

function firstOfEach(groups: readonly Group[], limit: number): Group[] {
  const seen = new Map<string, number>()
  return groups.filter(({ values }) => {
    const id = values.join('\n')
    const before = seen.get(id) ?? 0
    seen.set(id, before + 1)
    return before < limit
  })
}
