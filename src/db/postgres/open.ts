import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { Fault, StartupError } from '#lib/fault.ts'
import type { Db, Query, Tx } from '../db.ts'
import type { Announcement } from '../signals.ts'
import type { Tables } from '../tables.ts'
import { channel, postgresSignals } from './signals.ts'

const int8 = 20
const numeric = 1700
const lockTimeoutMs = 5000
const lockNotAvailable = '55P03'

/** Counts and instants fit a double; pg would hand them out as text. */
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format: never) =>
    oid === int8 || oid === numeric ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
}

/** Opens a Postgres database, without migrating it. */
export async function openPostgres(connectionString: string, onError: (error: Error) => void): Promise<Db> {
  const pool = new pg.Pool({
    connectionString,
    types,
    max: 10,
    connectionTimeoutMillis: 5000,
    application_name: 'signalbox',
  })
  pool.on('error', onError)
  await pool.query('select 1').catch(async (error: Error) => {
    await pool.end()
    throw new StartupError(
      `The database named by DATABASE_URL cannot be reached: ${error.message || 'connection refused'}.`,
    )
  })
  const query: Query = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
  const signals = await postgresSignals(connectionString, onError)
  return {
    kind: 'postgres',
    query,
    async exclusively(name, work) {
      const announced: Announcement[] = []
      const announce = (topic: Announcement['topic'], payload: string) => void announced.push({ topic, payload })
      const result = await query.transaction().execute(async (tx: Tx) => {
        const done = await afterLocking(tx, name, (locked) => work(locked, announce))
        for (const announcement of announced) await notify(tx, announcement)
        return done
      })
      announced.forEach(signals.deliver)
      return result
    },
    signals,
    async close() {
      await signals.close()
      await query.destroy()
    },
  }
}

async function afterLocking<T>(tx: Tx, name: string, work: (tx: Tx) => Promise<T>): Promise<T> {
  try {
    await sql`select set_config('lock_timeout', ${`${lockTimeoutMs}ms`}, true)`.execute(tx)
    await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(tx)
    return await work(tx)
  } catch (error) {
    if ((error as { code?: unknown }).code !== lockNotAvailable) throw error
    throw new Fault(
      'conflict',
      'Another change to the same object is taking too long. Nothing was changed; try again later.',
    )
  }
}

/** Within the transaction, so that other servers hear of exactly what was committed, even if this one dies. */
async function notify(tx: Tx, announcement: Announcement): Promise<void> {
  await sql`select pg_notify(${channel}, ${JSON.stringify(announcement)})`.execute(tx)
}
