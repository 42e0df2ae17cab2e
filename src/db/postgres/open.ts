import { setTimeout as sleep } from 'node:timers/promises'
import type { PostgresPool } from 'kysely'
import type pg from 'pg'
import { Kysely, PostgresDialect } from '#db/kysely.ts'
import { StartupError } from '#lib/fault.ts'
import { copied, ofWhoRuns } from '../copy.ts'
import type { Db, Query, Watch } from '../db.ts'
import { queryLog } from '../query-log.ts'
import type { Tables } from '../tables.ts'
import { type Connections, openConnections, poolWithoutTimeouts } from './connections.ts'
import { createExclusively } from './exclusively.ts'
import { whyNotOpened } from './not-opened.ts'
import { requireRights } from './rights.ts'
import type { Limits } from './session.ts'
import { postgresSignals } from './signals.ts'

/** The end waits this long for connections in use. */
const closeMs = 1000

/** Opens a Postgres database. `prepare` brings it up to date before anything else looks at it. */
export async function openPostgres(
  connectionString: string,
  prepare: (query: Query) => Promise<void>,
  watch: Watch,
  limits: Limits,
): Promise<Db> {
  const { onError = () => {}, onUnset = () => {}, onBack } = watch
  await bringUpToDate(poolWithoutTimeouts(connectionString, limits), prepare)
  const connections = openConnections(connectionString, { limits, onError, onUnset, ...(onBack && { onBack }) })
  const query: Query = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: watchedPool(connections, watch) }),
    log: queryLog(watch),
  })
  const signals = await postgresSignals(() => connections.connect('signalbox signals'), {
    onError(error) {
      onError(error)
      connections.dropIdle('the connection for signals was lost')
    },
  })
  return {
    kind: 'postgres',
    query,
    reports: query,
    exclusively: createExclusively(query, signals, limits.database_lock_timeout_ms),
    signals,
    standing: () => ({ silentMs: signals.silentForMs(), readOnly: signals.readOnly(), ...connections.standing() }),
    async close() {
      await signals.close()
      const ending = query.destroy()
      await Promise.race([ending, sleep(closeMs, undefined, { ref: false })])
      connections.cut()
      await Promise.race([ending, sleep(closeMs, undefined, { ref: false })])
    },
  }
}

/** A statement that gets no connection has failed, too; Kysely tells only of those that got one. */
function watchedPool({ pool, take }: Connections, { onQuery = () => {} }: Watch): PostgresPool {
  return {
    async connect() {
      const startedAt = performance.now()
      try {
        return await take()
      } catch (error) {
        onQuery((performance.now() - startedAt) / 1000, 'failed', error)
        throw error
      }
    },
    end: () => pool.end(),
  }
}

async function bringUpToDate(pool: pg.Pool, prepare: (query: Query) => Promise<void>): Promise<void> {
  await pool.query('select 1').catch((error: Error) => {
    throw new StartupError(whyNotOpened(error))
  })
  const query: Query = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
  try {
    await prepare(query)
    await requireRights({ query }, [...copied, ...ofWhoRuns])
  } finally {
    await query.destroy()
  }
}
