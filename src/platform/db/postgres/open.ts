import { setTimeout as sleep } from 'node:timers/promises'
import type { PostgresPool } from 'kysely'
import type pg from 'pg'
import { parseDatabaseUrl } from '../../core/database-url.ts'
import { StartupError } from '../../core/fault.ts'
import type { Db, Query, Watch } from '../db.ts'
import { Kysely, PostgresDialect } from '../kysely.ts'
import { copied, ofWhoRuns } from '../maintenance/copy.ts'
import { queryLog } from '../query-log.ts'
import type { Tables } from '../tables.ts'
import { applicationNames } from './application-names.ts'
import { ClockOffset } from './clock-offset.ts'
import { type Connections, openConnections, poolWithoutTimeouts } from './connections.ts'
import { createExclusively } from './exclusively.ts'
import { Hosts } from './hosts.ts'
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
  const { onError = () => {}, onUnset = () => {}, onAway, onBack } = watch
  const hosts = new Hosts(parseDatabaseUrl(connectionString))
  await bringUpToDate(hosts, limits, prepare)
  const connections = openConnections(hosts, {
    limits,
    onError,
    onUnset,
    ...(onAway && { onAway }),
    ...(onBack && { onBack }),
  })
  const query: Query = new Kysely<Tables>({
    dialect: new PostgresDialect({ pool: watchedPool(connections, watch) }),
    log: queryLog(watch),
  })
  const clock = new ClockOffset(watch.onClockSkew ?? (() => {}))
  const signals = await postgresSignals(() => connections.connect(applicationNames.signals), {
    onError(error) {
      onError(error)
      connections.dropIdle('the connection for signals was lost')
    },
    onReadOnly: connections.leaveReadOnly,
    onClock: (sample) => clock.add(sample),
  })
  return {
    kind: 'postgres',
    query,
    reports: query,
    exclusively: createExclusively(query, signals, limits.database_lock_timeout_ms),
    signals,
    clockCorrectionMs: () => clock.correctionMs,
    standing: () => ({
      silentMs: signals.silentForMs(),
      readOnly: signals.readOnly(),
      isReachable: !connections.isAway() && (signals.live() || signals.refusal() === undefined),
      ...connections.standing(),
    }),
    async close() {
      await signals.close()
      const ending = query.destroy()
      await Promise.race([ending, sleep(closeMs, undefined, { ref: false })])
      connections.cut()
      await Promise.race([ending, sleep(closeMs, undefined, { ref: false })])
    },
  }
}

/** Also reports statements that got no connection as failed; Kysely reports only the others. */
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

async function bringUpToDate(hosts: Hosts, limits: Limits, prepare: (query: Query) => Promise<void>): Promise<void> {
  const pool = poolWithoutTimeouts(hosts, limits)
  await connectToAny(pool, hosts)
  const query: Query = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
  try {
    await prepare(query)
    await requireRights({ query }, [...copied, ...ofWhoRuns])
  } finally {
    await query.destroy()
  }
}

/** Selects the first usable server. @throws StartupError with the reasons of all servers. */
async function connectToAny(pool: pg.Pool, { count }: Hosts): Promise<void> {
  const problems: string[] = []
  while (problems.length < count) {
    try {
      return void (await pool.query('select 1'))
    } catch (error) {
      problems.push(whyNotOpened(error as Error))
    }
  }
  throw new StartupError([...new Set(problems)].join(' '))
}
