import { setTimeout as sleep } from 'node:timers/promises'
import { StartupError } from '../../core/fault.ts'
import type { Db, Query, Tx, Watch } from '../db.ts'
import { appendEvents } from '../event-log.ts'
import { Kysely } from '../kysely.ts'
import { queryLog } from '../query-log.ts'
import type { Lend } from '../rows/lend.ts'
import { type Announcement, announcements, localSignals } from '../signals.ts'
import type { Tables } from '../tables.ts'
import { openSqlite, readerOf } from './client.ts'
import { createMutex, noTurns, sqliteDialect } from './dialect.ts'
import { openSession } from './session.ts'

/** A transaction waits this long until other processes have received its notifications. Slower ones receive them later. */
const hearMs = 500

/** Opens the embedded database. `prepare` migrates it before any other query. */
export async function openEmbedded(path: string, prepare: (query: Query) => Promise<void>, watch: Watch): Promise<Db> {
  const client = await openSqlite(path).catch((error: Error) => {
    throw new StartupError(`The database ${path} cannot be opened: ${error.message}.`)
  })
  const turns = createMutex()
  const query: Query = new Kysely<Tables>({ dialect: sqliteDialect(client, turns), log: queryLog(watch) })
  await prepare(query).catch(async (error) => {
    await query.destroy()
    throw error
  })
  const reader = readerOf(path)
  const reports: Query = new Kysely<Tables>({ dialect: sqliteDialect(reader, noTurns), log: queryLog(watch) })
  const signals = localSignals()
  const borrowers = new Set<Parameters<Lend>[0]>()
  async function announceAll(announced: readonly Announcement[]): Promise<void> {
    announced.forEach(signals.deliver)
    if (borrowers.size === 0) return
    const delivered = Promise.allSettled([...borrowers].map((hear) => hear(announced)))
    await Promise.race([delivered, sleep(hearMs, undefined, { ref: false })])
  }
  return {
    kind: 'sqlite',
    query,
    reports,
    // The only writing connection: `begin immediate` already excludes all others.
    async exclusively(_name, work) {
      const { announced, events, announce } = announcements()
      const result = await query.transaction().execute(async (tx: Tx) => {
        const done = await work(tx, announce)
        await appendEvents(tx, events)
        return done
      })
      await announceAll(announced)
      return result
    },
    lend(hear) {
      borrowers.add(hear)
      const session = openSession({ writer: client, reader, turns, announceAll })
      return {
        ...session,
        end() {
          borrowers.delete(hear)
          return session.end()
        },
      }
    },
    signals,
    clockCorrectionMs: () => 0,
    standing: () => ({ silentMs: 0, readOnly: false, isReachable: true, ...turns.standing() }),
    async close() {
      await reports.destroy()
      // Kysely closes the reader only if it has used it; other processes can have used it too.
      await reader.close()
      await query.destroy()
    },
  }
}
