import { call } from '../../api/client.ts'
import { csvText } from '../../format/csv.ts'
import type { Row, Values } from '../queries.ts'
import { dayText } from '../spending-paths.ts'
import { exploreQueries, groupingsOf } from './explore-query.ts'

/** The most that the service returns. */
const maxRows = 200_000

/** Downloads all rows of a view, with exact amounts in USD. */
export async function downloadRows(values: Values): Promise<void> {
  const queries = exploreQueries(values, Date.now(), maxRows)
  if (!queries) return
  const { data } = await call('POST /analytics/query', { body: queries.table })
  const chosenGroupings = groupingsOf(values)
  const metrics: string[] = queries.table.metrics
  const header = [...chosenGroupings.map(({ label }) => label), ...metrics]
  const lines = (data.data as Row[]).map((row) => [
    ...chosenGroupings.map(({ dimension }) => row[dimension] as string | null),
    ...metrics.map((metric) => row[metric] as number | null),
  ])
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([csvText([header, ...lines])], { type: 'text/csv' }))
  const { start, end } = queries.table.time_range
  link.download = `usage-${start.slice(0, 10)}-to-${dayText(Date.parse(end) - 1)}.csv`
  link.click()
  URL.revokeObjectURL(link.href)
}
