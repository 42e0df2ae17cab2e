import { hourMs } from '#platform/core/clock.ts'
import type { Db } from '#platform/db/db.ts'
import { sql } from '#platform/db/kysely.ts'
import { Sketch } from '#platform/metrics/sketch.ts'
import { percentage, percentiles } from './compute-figures.ts'
import type { Percentiles } from './figures.ts'
import { addUptime, type EndpointSums, hourOf, newEndpointSums } from './tally.ts'

/** The measurements of an endpoint in one hour or day. */
type HistoryPoint = {
  /** The start, in milliseconds since the epoch. */
  start: number
  latencyMs: Percentiles | null
  throughput: Percentiles | null
  /** A percentage; null without requests. */
  uptime: number | null
}

const hoursPerSlot = { hour: 1, day: 24 } as const

/** The history by endpoint, oldest first. Hours and days without measurements are omitted. */
export async function readEndpointHistory(
  { db }: { db: Pick<Db, 'reportQuery'> },
  endpointIds: readonly string[],
  time: { from: number; to: number; granularity: keyof typeof hoursPerSlot },
): Promise<Map<string, HistoryPoint[]>> {
  const slotHours = hoursPerSlot[time.granularity]
  const slots = new Map<string, Map<number, EndpointSums>>(endpointIds.map((id) => [id, new Map()]))
  for (const row of await readHistory(db, endpointIds, time)) {
    const endpointSlots = slots.get(row.endpoint)!
    const total = endpointSlots.getOrInsertComputed(Math.floor(row.hour / slotHours), newEndpointSums)
    addUptime(total, row)
    total.latency.merge(Sketch.fromText(row.latency))
    total.throughput.merge(Sketch.fromText(row.throughput))
  }
  const histories = new Map<string, HistoryPoint[]>()
  for (const [id, endpointSlots] of slots) {
    const oldestFirst = [...endpointSlots].sort(([a], [b]) => a - b)
    const points = oldestFirst.map(([slot, cell]) => toPoint(slot * slotHours * hourMs, cell))
    histories.set(id, points)
  }
  return histories
}

function toPoint(start: number, { latency, throughput, ...uptime }: EndpointSums): HistoryPoint {
  return { start, latencyMs: percentiles(latency), throughput: percentiles(throughput), uptime: percentage(uptime) }
}

/** Reads hours and the minutes that are not added to them yet, in one statement, so that none is counted twice. */
async function readHistory(
  db: Pick<Db, 'reportQuery'>,
  endpointIds: readonly string[],
  { from, to }: { from: number; to: number },
) {
  if (endpointIds.length === 0) return []
  const firstHour = hourOf(from)
  const endHour = Math.ceil(to / hourMs)
  const columns = ['endpoint', 'successes', 'errors', 'latency', 'throughput'] as const
  return db.reportQuery
    .selectFrom('endpoint_history')
    .where('endpoint', 'in', endpointIds)
    .where('hour', '>=', firstHour)
    .where('hour', '<', endHour)
    .select(['hour', ...columns])
    .unionAll(
      db.reportQuery
        .selectFrom('endpoint_minutes')
        .where('endpoint', 'in', endpointIds)
        .where('minute', '>=', firstHour * 60)
        .where('minute', '<', endHour * 60)
        .select([sql<number>`minute / 60`.as('hour'), ...columns]),
    )
    .execute()
}
