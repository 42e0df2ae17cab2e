import type { Db, Tx } from '#platform/db/db.ts'
import { upsert } from '#platform/db/rows/upsert.ts'
import { Sketch } from '#platform/metrics/sketch.ts'
import { addEndpointSums, addUptime, type EndpointSums, newEndpointSums } from './tally.ts'

/** The maximum number of minutes that one call adds. More accumulate only while all servers are stopped. */
const maxMinutes = 10

/** Limits the parameters of a statement, of which databases accept some ten thousand. */
const endpointsPerStatement = 500

/**
 * Adds the minutes before a given one to the history of their hours and deletes them, in one transaction. Several servers
 * can run it; only one does at a time.
 */
export async function foldMinutes({ db }: { db: Db }, beforeMinute: number): Promise<void> {
  // Checked first without the lock, because usually there is nothing to do.
  if ((await oldestMinute(db.query, beforeMinute)) === undefined) return
  await db.exclusively('endpoint history', async (tx) => {
    for (let remaining = maxMinutes; remaining > 0; remaining--) {
      const minute = await oldestMinute(tx, beforeMinute)
      if (minute === undefined) return
      await foldMinute(tx, minute)
    }
  })
}

async function oldestMinute(query: Pick<Tx, 'selectFrom'>, beforeMinute: number): Promise<number | undefined> {
  const found = await query
    .selectFrom('endpoint_minutes')
    .select('minute')
    .where('minute', '<', beforeMinute)
    .orderBy('minute')
    .limit(1)
    .executeTakeFirst()
  return found?.minute
}

async function foldMinute(tx: Tx, minute: number): Promise<void> {
  const hour = Math.floor(minute / 60)
  const totals = new Map<string, EndpointSums>()
  const rows = await tx.selectFrom('endpoint_minutes').selectAll().where('minute', '=', minute).execute()
  for (const row of rows) addEndpointSums(totals.getOrInsertComputed(row.endpoint, newEndpointSums), toCell(row))
  const endpoints = [...totals.keys()]
  for (let from = 0; from < endpoints.length; from += endpointsPerStatement)
    await addToHour(tx, hour, totals, endpoints.slice(from, from + endpointsPerStatement))
  await tx.deleteFrom('endpoint_minutes').where('minute', '=', minute).execute()
}

async function addToHour(tx: Tx, hour: number, totals: Map<string, EndpointSums>, endpoints: string[]): Promise<void> {
  const existing = await tx
    .selectFrom('endpoint_history')
    .selectAll()
    .where('hour', '=', hour)
    .where('endpoint', 'in', endpoints)
    .execute()
  for (const row of existing) addEndpointSums(totals.get(row.endpoint)!, toCell(row))
  const rows = endpoints.map((endpoint) => {
    const { successes, errors, latency, throughput } = totals.get(endpoint)!
    return { endpoint, hour, successes, errors, latency: latency.toText(), throughput: throughput.toText() }
  })
  await upsert(tx, 'endpoint_history', rows, { key: ['endpoint', 'hour'] }).execute()
}

type Row = { successes: number; errors: number; latency: string; throughput: string }

function toCell(row: Row): EndpointSums {
  const cell = newEndpointSums()
  addUptime(cell, row)
  return { ...cell, latency: Sketch.fromText(row.latency), throughput: Sketch.fromText(row.throughput) }
}
