import { dayMs } from '#platform/core/clock.ts'
import type { Db, Tx } from '#platform/db/db.ts'
import { upsert } from '#platform/db/rows/upsert.ts'
import { foldMinutes } from './fold-minutes.ts'
import {
  type EndpointSums,
  hourOf,
  type ModelHour,
  type Slots,
  type Tally,
  type Uptime,
  windowStarts,
} from './tally.ts'

/** The tolerated difference between the clocks of servers. Rows are deleted this time after their window. */
const clockToleranceMs = 5 * 60_000

/** Writes the rows of one writer in one transaction. Each has a complete count, so writing it again has no effect. */
export async function writeTally(deps: { db: Db }, writer: string, changed: Tally, now: number): Promise<void> {
  const common = { writer, written_at: now }
  await deps.db.query.transaction().execute(async (tx) => {
    for (const cells of chunks(changed.endpointMinutes)) await writeMinutes(tx, common, cells)
    for (const cells of chunks(changed.endpointHours)) await writeHours(tx, common, cells)
    for (const cells of chunks(changed.modelHours)) await writeModels(tx, common, cells)
  })
}

type Common = { writer: string; written_at: number }
type Entry<Cell> = [slot: number, id: string, cell: Cell]

const rowsPerStatement = 500

/** Splits rows, because the number of parameters of a statement is limited. */
function* chunks<Cell>(slots: Slots<Cell>): Generator<Entry<Cell>[]> {
  const entries = [...slots].flatMap(([slot, cells]) => [...cells].map(([id, cell]): Entry<Cell> => [slot, id, cell]))
  for (let from = 0; from < entries.length; from += rowsPerStatement) yield entries.slice(from, from + rowsPerStatement)
}

async function writeMinutes(tx: Tx, common: Common, entries: Entry<EndpointSums>[]): Promise<void> {
  const rows = entries.map(([minute, endpoint, { successes, errors, latency, throughput, speed }]) => ({
    ...common,
    minute,
    endpoint,
    successes,
    errors,
    latency: latency.toText(),
    throughput: throughput.toText(),
    speed: speed.toText(),
  }))
  await upsert(tx, 'endpoint_minutes', rows, { key: ['minute', 'endpoint', 'writer'] }).execute()
}

async function writeHours(tx: Tx, common: Common, entries: Entry<Uptime>[]): Promise<void> {
  const rows = entries.map(([hour, endpoint, cell]) => ({ ...common, hour, endpoint, ...cell }))
  await upsert(tx, 'endpoint_hours', rows, { key: ['hour', 'endpoint', 'writer'] }).execute()
}

async function writeModels(tx: Tx, common: Common, entries: Entry<ModelHour>[]): Promise<void> {
  const rows = entries.map(([hour, model, { requests, tokens, toolCalls }]) => ({
    ...common,
    hour,
    model,
    requests,
    tokens,
    tool_calls: toolCalls,
  }))
  await upsert(tx, 'model_hours', rows, { key: ['hour', 'model', 'writer'] }).execute()
}

/** Deletes rows that are older than all windows. Minutes are first added to the history, which is retained for `historyDays`. */
export async function deleteExpired(deps: { db: Db }, now: number, historyDays: number): Promise<void> {
  const { halfHour, day, week } = windowStarts(now - clockToleranceMs)
  await foldMinutes(deps, halfHour)
  const oldest = hourOf(now - historyDays * dayMs)
  await deps.db.query.deleteFrom('endpoint_history').where('hour', '<', oldest).execute()
  await deps.db.query.deleteFrom('endpoint_hours').where('hour', '<', day).execute()
  await deps.db.query.deleteFrom('model_hours').where('hour', '<', week).execute()
}
