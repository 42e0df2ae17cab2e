import pg from 'pg'
import { Kysely, PostgresDialect, sql } from '#db/kysely.ts'
import { Fault, StartupError } from '#lib/fault.ts'
import type { Db, Query, Tx, Watch } from '../db.ts'
import { queryLog } from '../query-log.ts'
import type { Announcement } from '../signals.ts'
import type { Tables } from '../tables.ts'
import { announceIn } from './revisions.ts'
import { postgresSignals } from './signals.ts'

const int8 = 20
const numeric = 1700
const lockTimeoutMs = 5000
const lockNotAvailable = '55P03'

/** Counts and instants fit a double; pg would hand them out as text. */
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format: never) =>
    oid === int8 || oid === numeric ? Number : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
}

/** Opens a Postgres database. `prepare` brings it up to date before anything else looks at it. */
export async function openPostgres(
  connectionString: string,
  prepare: (query: Query) => Promise<void>,
  watch: Watch,
): Promise<Db> {
  const { onError = () => {} } = watch
  const pool = new pg.Pool({
    connectionString,
    types,
    max: 10,
    connectionTimeoutMillis: 5000,
    application_name: 'signalbox',
  })
  pool.on('error', onError)
  // One in use tells whoever uses it, by its query; but between two queries nobody would listen, and that ends Node.
  pool.on('connect', (client) => client.on('error', () => {}))
  await pool.query('select 1').catch(async (error: Error) => {
    await pool.end()
    throw new StartupError(
      `The database named by DATABASE_URL cannot be reached: ${error.message || 'connection refused'}.`,
    )
  })
  const query: Query = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }), log: queryLog(watch) })
  await prepare(query).catch(async (error) => {
    await query.destroy()
    throw error
  })
  const signals = await postgresSignals(connectionString, onError)
  return {
    kind: 'postgres',
    query,
    reports: query,
    async exclusively(name, work) {
      const announced: Announcement[] = []
      const announce = (topic: Announcement['topic'], payload: string) => void announced.push({ topic, payload })
      const result = await query.transaction().execute((tx: Tx) =>
        afterLocking(tx, name, async (locked) => {
          const done = await work(locked, announce)
          for (const announcement of inLockOrder(announced)) await announceIn(locked, announcement)
          return done
        }),
      )
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

/** Counting up a topic locks it: two transactions that announce several must do so in one order. */
function inLockOrder(announced: Announcement[]): Announcement[] {
  return announced.toSorted((a, b) => (a.topic < b.topic ? -1 : a.topic > b.topic ? 1 : 0))
}
