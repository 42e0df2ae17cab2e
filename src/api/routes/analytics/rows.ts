import { readKeyNames, readUserNames, readWorkspaceNames } from '#identity/accounts/account-names.ts'
import { isoTime } from '#platform/core/clock.ts'
import type { Query } from '#platform/db/db.ts'
import type { DimensionName } from '#spend/analytics/dimensions.ts'
import type { Group } from '#spend/analytics/group.ts'
import { metrics } from '#spend/analytics/metrics.ts'
import type { AnalyticsQueryBody } from './body.ts'

type Names = Map<string, { name: string }>

/** Dimensions whose values are ids, and the functions that find their display names. */
const nameReaders = {
  api_key_id: readKeyNames,
  user: readUserNames,
  workspace: readWorkspaceNames,
} satisfies Partial<Record<DimensionName, (...args: Parameters<typeof readKeyNames>) => Promise<Names>>>

const hasNames = (name: DimensionName): name is keyof typeof nameReaders => name in nameReaders

/** Converts groups to rows, with each value under its requested name. */
export async function analyticsRows(
  { db }: { db: { query: Query } },
  organizationId: string,
  { dimensions, metrics: requestedMetrics, granularity }: AnalyticsQueryBody,
  groups: readonly Group[],
): Promise<Record<string, unknown>[]> {
  const names = new Map<DimensionName, Names>()
  for (const [index, dimension] of dimensions.entries()) {
    if (!hasNames(dimension)) continue
    const ids = new Set(groups.map(({ values }) => values[index]!))
    names.set(dimension, await nameReaders[dimension](db, organizationId, ids))
  }
  const dates = new Map<number, string>()
  return groups.map((group) => {
    const { start } = group
    const row: Record<string, unknown> = granularity ? { date: dates.getOrInsertComputed(start, isoTime) } : {}
    const ids: Record<string, string | null> = {}
    for (const [index, dimension] of dimensions.entries()) {
      const value = group.values[index] || null
      row[dimension] = displayValue(dimension, value, names.get(dimension))
      if (hasNames(dimension)) ids[dimension] = value
    }
    for (const name of requestedMetrics) row[name] = metrics[name].compute(group)
    if (names.size > 0) row.ids = ids
    return row
  })
}

function displayValue(dimension: DimensionName, value: string | null, names: Names | undefined): unknown {
  if (dimension === 'is_byok') return value === 'true'
  return value === null || !names ? value : (names.get(value)?.name ?? value)
}
