import type { PostgresPool } from 'kysely'
import type pg from 'pg'
import { waitAtMost } from '../../async/wait-at-most.ts'
import { parseDatabaseUrl } from '../../core/database-url.ts'
import { UserFacingError } from '../../core/fault.ts'
import type { DatabaseListeners, Db, Query } from '../db.ts'
import { Kysely, PostgresDialect } from '../kysely.ts'
import { copiedTables, processTables } from '../maintenance/copy.ts'
import { createQueryLog } from '../query-log.ts'
import type { Tables } from '../tables.ts'
import { applicationNames } from './application-names.ts'
import { ClockOffset } from './clock-offset.ts'
import { Connections, poolWithoutTimeouts } from './connections.ts'
import { createExclusively } from './exclusively.ts'
import { Hosts } from './hosts.ts'
import { describeOpeningError } from './opening-error.ts'
import { requireEncoding, requirePrivileges } from './privileges.ts'
import type { ConnectionSettings } from './session.ts'
import { openPostgresSignals } from './signals.ts'

/** The time for which `close` waits for connections in use, and again after they were aborted. */
const closeMs = 1000

/** Opens a Postgres database. `prepare` migrates it before any other query. */
export async function openPostgres(
  connectionString: string,
  prepare: (query: Query) => Promise<void>,
  listeners: DatabaseListeners,
  settings: ConnectionSettings,
): Promise<Db> {
  const { onError = () => {}, onRejectedSettings = () => {}, onUnavailable, onRecovered } = listeners
  const hosts = new Hosts(parseDatabaseUrl(connectionString))
  await prepareDatabase(hosts, settings, prepare)
  const connections = new Connections(hosts, {
    settings,
    onError,
    onRejectedSettings,
    onUnavailable,
    onRecovered,
  })
  const query: Query = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: createReportingPool(connections, listeners) }),
    log: createQueryLog(listeners),
  })
  const clock = new ClockOffset(listeners.onClockSkew ?? (() => {}))
  const signals = await openPostgresSignals(() => connections.connect(applicationNames.signals), {
    onError(error) {
      onError(error)
      connections.dropIdle('the connection for signals was lost')
    },
    onReadOnly: () => connections.replaceReadOnly(),
    onClock: (sample) => clock.add(sample),
  })
  return {
    kind: 'postgres',
    query,
    reportQuery: query,
    exclusively: createExclusively(query, signals, settings.database_lock_timeout_ms),
    signals,
    clockCorrectionMs: () => clock.correctionMs,
    health: () => ({
      silentMs: signals.silentForMs(),
      readOnly: signals.isReadOnly(),
      isReachable: !connections.isUnavailable() && (signals.live() || signals.connectionError() === undefined),
      ...connections.usage(),
    }),
    async close() {
      await signals.close()
      const ending = query.destroy()
      await waitAtMost(closeMs, ending)
      connections.closeAll()
      await waitAtMost(closeMs, ending)
    },
  }
}

/** A pool that also reports statements that got no connection as failed. Kysely reports only statements that got one. */
function createReportingPool(connections: Connections, { onQuery = () => {} }: DatabaseListeners): PostgresPool {
  return {
    async connect() {
      const startedAt = performance.now()
      try {
        return await connections.acquire()
      } catch (error) {
        onQuery((performance.now() - startedAt) / 1000, 'failed', error)
        throw error
      }
    },
    end: () => connections.pool.end(),
  }
}

async function prepareDatabase(
  hosts: Hosts,
  settings: ConnectionSettings,
  prepare: (query: Query) => Promise<void>,
): Promise<void> {
  const pool = poolWithoutTimeouts(hosts, settings)
  await connectToAny(pool, hosts)
  const query: Query = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
  try {
    await requireEncoding({ query })
    await prepare(query)
    await requirePrivileges({ query }, [...copiedTables, ...processTables])
  } finally {
    await query.destroy()
  }
}

/** Connects to the first usable server: each failed connection makes `hosts` select the next one. @throws UserFacingError with the reasons of all servers. */
async function connectToAny(pool: pg.Pool, { count }: Hosts): Promise<void> {
  const problems: string[] = []
  while (problems.length < count) {
    try {
      return void (await pool.query('select 1'))
    } catch (error) {
      problems.push(describeOpeningError(error as Error))
    }
  }
  throw new UserFacingError([...new Set(problems)].join(' '))
}
