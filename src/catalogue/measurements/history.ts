import type { Db } from '#platform/db/db.ts'
import { sql } from '#platform/db/kysely.ts'
import { Sketch } from '#platform/metrics/sketch.ts'
import { percentage, percentiles } from './compute-figures.ts'
import type { Percentiles } from './figures.ts'
import { addUptime, type EndpointMinute, hourOf, newEndpointMinute } from './tally.ts'

/** The measurements of an endpoint in one hour or day. */
export type HistoryPoint = {
  /** The start, in milliseconds since the epoch. */
  start: number
  latencyMs: Percentiles | null
  throughput: Percentiles | null
  /** A percentage; null without requests. */
  uptime: number | null
}

const hourMs = 3_600_000
const hoursOf = { hour: 1, day: 24 } as const

/** The history by endpoint, oldest first. Hours and days without measurements are omitted. */
export async function endpointHistory(
  { db }: { db: Pick<Db, 'reports'> },
  endpointIds: readonly string[],
  time: { from: number; to: number; granularity: keyof typeof hoursOf },
): Promise<Map<string, HistoryPoint[]>> {
  const length = hoursOf[time.granularity]
  const slots = new Map<string, Map<number, EndpointMinute>>(endpointIds.map((id) => [id, new Map()]))
  for (const row of await readHistory(db, endpointIds, time)) {
    const endpointSlots = slots.get(row.endpoint)!
    const total = endpointSlots.getOrInsertComputed(Math.floor(row.hour / length), newEndpointMinute)
    addUptime(total, row)
    total.latency.merge(Sketch.fromText(row.latency))
    total.throughput.merge(Sketch.fromText(row.throughput))
  }
  const histories = [...slots].map(([id, found]): [string, HistoryPoint[]] => [
    id,
    [...found].sort(([a], [b]) => a - b).map(([slot, cell]) => pointOf(slot * length * hourMs, cell)),
  ])
  return new Map(histories)
}

function pointOf(start: number, { latency, throughput, ...uptime }: EndpointMinute): HistoryPoint {
  return { start, latencyMs: percentiles(latency), throughput: percentiles(throughput), uptime: percentage(uptime) }
}

/** Reads hours and the minutes that are not added to them yet, in one statement, so that none is counted twice. */
async function readHistory(
  db: Pick<Db, 'reports'>,
  endpointIds: readonly string[],
  { from, to }: { from: number; to: number },
) {
  if (endpointIds.length === 0) return []
  const [first, after] = [hourOf(from), Math.ceil(to / hourMs)]
  const figures = ['endpoint', 'successes', 'errors', 'latency', 'throughput'] as const
  return db.reports
    .selectFrom('endpoint_history')
    .where('endpoint', 'in', endpointIds)
    .where('hour', '>=', first)
    .where('hour', '<', after)
    .select(['hour', ...figures])
    .unionAll(
      db.reports
        .selectFrom('endpoint_minutes')
        .where('endpoint', 'in', endpointIds)
        .where('minute', '>=', first * 60)
        .where('minute', '<', after * 60)
        .select([sql<number>`minute / 60`.as('hour'), ...figures]),
    )
    .execute()
}
