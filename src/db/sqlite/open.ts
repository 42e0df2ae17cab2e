import { Kysely } from '#db/kysely.ts'
import { StartupError } from '#lib/fault.ts'
import type { Db, Query, Tx, Watch } from '../db.ts'
import { queryLog } from '../query-log.ts'
import { type Announcement, localSignals } from '../signals.ts'
import type { Tables } from '../tables.ts'
import { openSqlite, readerOf } from './client.ts'
import { sqliteDialect, turnstile } from './dialect.ts'

/** Opens the embedded database. `prepare` brings it up to date before anything else looks at it. */
export async function openEmbedded(path: string, prepare: (query: Query) => Promise<void>, watch: Watch): Promise<Db> {
  const client = await openSqlite(path).catch((error: Error) => {
    throw new StartupError(`The database ${path} cannot be opened: ${error.message}.`)
  })
  const turns = turnstile()
  const query: Query = new Kysely<Tables>({ dialect: sqliteDialect(client, turns), log: queryLog(watch) })
  await prepare(query).catch(async (error) => {
    await query.destroy()
    throw error
  })
  const reports: Query = new Kysely<Tables>({ dialect: sqliteDialect(readerOf(path)), log: queryLog(watch) })
  const signals = localSignals()
  return {
    kind: 'sqlite',
    query,
    reports,
    // One connection, one writer: `begin immediate` already excludes everybody else.
    async exclusively(_name, work) {
      const announced: Announcement[] = []
      const announce = (topic: Announcement['topic'], payload: string) => void announced.push({ topic, payload })
      const result = await query.transaction().execute((tx: Tx) => work(tx, announce))
      announced.forEach(signals.deliver)
      return result
    },
    signals,
    standing: () => ({ silentMs: 0, readOnly: false, ...turns.standing() }),
    async close() {
      await reports.destroy()
      await query.destroy()
    },
  }
}
