import type { Db } from '#platform/db/db.ts'
import { Sketch } from '#platform/metrics/sketch.ts'
import {
  addModel,
  addUptime,
  getOrCreateCell,
  newEndpointSums,
  newModelHour,
  newUptime,
  type Tally,
  windowStarts,
} from './tally.ts'

/** Selects rows that other servers wrote since a time and that are still within a window. */
type ChangedSlots = { writer: string; since: number; now: number }

/**
 * Sums the counts of all other writers for each slot that one of them wrote since `since`. A sum is complete, and replaces
 * the previous one of its slot.
 */
export async function readTallyOfOtherWriters(deps: { db: Db }, changed: ChangedSlots): Promise<Tally> {
  return {
    endpointMinutes: await readMinutes(deps.db, changed),
    endpointHours: await readHours(deps.db, changed),
    modelHours: await readModels(deps.db, changed),
  }
}

async function readMinutes({ query }: Db, { writer, since, now }: ChangedSlots): Promise<Tally['endpointMinutes']> {
  const slots: Tally['endpointMinutes'] = new Map()
  const changedSlots = query
    .selectFrom('endpoint_minutes')
    .select('minute')
    .where('writer', '!=', writer)
    .where('written_at', '>=', since)
    .where('minute', '>=', windowStarts(now).halfHour)
  const rows = query.selectFrom('endpoint_minutes').selectAll().where('writer', '!=', writer)
  for (const row of await rows.where('minute', 'in', changedSlots).execute()) {
    const cell = getOrCreateCell(slots, row.minute, row.endpoint, newEndpointSums)
    addUptime(cell, row)
    cell.latency.merge(Sketch.fromText(row.latency))
    cell.throughput.merge(Sketch.fromText(row.throughput))
    cell.speed.merge(Sketch.fromText(row.speed))
  }
  return slots
}

async function readHours({ query }: Db, { writer, since, now }: ChangedSlots): Promise<Tally['endpointHours']> {
  const slots: Tally['endpointHours'] = new Map()
  const changedSlots = query
    .selectFrom('endpoint_hours')
    .select('hour')
    .where('writer', '!=', writer)
    .where('written_at', '>=', since)
    .where('hour', '>=', windowStarts(now).day)
  const rows = query.selectFrom('endpoint_hours').selectAll().where('writer', '!=', writer)
  for (const row of await rows.where('hour', 'in', changedSlots).execute()) {
    addUptime(getOrCreateCell(slots, row.hour, row.endpoint, newUptime), row)
  }
  return slots
}

async function readModels({ query }: Db, { writer, since, now }: ChangedSlots): Promise<Tally['modelHours']> {
  const slots: Tally['modelHours'] = new Map()
  const changedSlots = query
    .selectFrom('model_hours')
    .select('hour')
    .where('writer', '!=', writer)
    .where('written_at', '>=', since)
    .where('hour', '>=', windowStarts(now).week)
  const rows = query.selectFrom('model_hours').selectAll().where('writer', '!=', writer)
  for (const row of await rows.where('hour', 'in', changedSlots).execute()) {
    const cell = { requests: row.requests, tokens: row.tokens, toolCalls: row.tool_calls }
    addModel(getOrCreateCell(slots, row.hour, row.model, newModelHour), cell)
  }
  return slots
}
