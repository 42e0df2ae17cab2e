import pg from 'pg'
import type { DatabaseHealth } from '../db.ts'
import { countLongWaits } from '../long-waits.ts'
import { applicationNames } from './application-names.ts'
import { Connection, ConnectionAbandoned, isServerError, types } from './connection.ts'
import { monitorConnections } from './connection-monitor.ts'
import type { Hosts } from './hosts.ts'
import { checkEveryMs, OutageDetector } from './outage-detector.ts'
import { applySession, type Limits, sessionSettings, sessionWithoutTimeouts } from './session.ts'

/** The connections of one server. */
export type Connections = {
  pool: pg.Pool
  /** Acquires a connection of the pool. @throws ConnectionAbandoned immediately while Postgres is unavailable. */
  acquire: () => Promise<pg.PoolClient>
  /** Closes idle connections, because they can be dead without an error. */
  dropIdle: (reason: string) => void
  /** Closes all connections, also those in use, and stops the monitors. */
  closeAll: () => void
  usage: () => Pick<DatabaseHealth, 'used' | 'idle' | 'waiting'>
  /** Whether Postgres has not answered at all for `database_silence_ms`. */
  isUnavailable: () => boolean
  /** Closes every connection after its statement, because the server is read-only and another one can be the primary. */
  replaceReadOnly: () => void
  /** Opens a connection outside the pool, for signals. */
  connect: (applicationName: string) => Promise<Connection>
}

/** The time limit of establishing a connection, and again of preparing one outside the pool. */
const connectMs = 5000

/** The interval of replacing connections to a read-only server, because its address can lead to another one later. */
const replaceEveryMs = 5000

type ConnectionsDeps = {
  limits: Limits
  onError: (error: Error) => void
  onRejectedSettings: (names: string[]) => void
  /** Postgres has not answered for `database_silence_ms`. */
  onUnavailable?: (() => void) | undefined
  /** Postgres answers again. */
  onRecovered?: ((outageMs: number) => void) | undefined
}

export function openConnections(hosts: Hosts, deps: ConnectionsDeps): Connections {
  const { limits, onError, onRejectedSettings, onUnavailable = () => {}, onRecovered = () => {} } = deps
  const defaultOptions = connectionOptions(hosts, limits)
  /** The connections of the pool. */
  const open = new Set<Connection>()
  /** Those of `open` that a caller has acquired. */
  const used = new Set<Connection>()
  /** Those of `open` that are closed when they are released. */
  const retired = new WeakSet<Connection>()
  /** Connections outside the pool. */
  const unpooled = new Set<Connection>()
  const waitingForConnection = new Set<{ since: number }>()
  let replacedAt = Number.NEGATIVE_INFINITY
  let hasReportedRejections = false
  const outageDetector = new OutageDetector({
    silenceMs: limits.database_silence_ms,
    onUnavailable(reason) {
      onError(new ConnectionAbandoned(reason))
      onUnavailable()
      for (const client of open) client.abandon(reason)
    },
    onRecovered,
  })
  const outageTimer = setInterval(() => outageDetector.check(), checkEveryMs).unref()

  async function prepareConnection(client: Connection): Promise<void> {
    open.add(client)
    client.once('end', () => open.delete(client))
    // A connection in use reports errors by its query. Between two queries, an error without a listener would end the process.
    client.on('error', () => {})
    client.setAnswerListener(() => outageDetector.noteAnswer())
    client.setWriteRefusedListener(replaceReadOnly)
    await client.requirePrimary()
    const rejectedSettings = await applySession(client, sessionSettings(limits))
    if (rejectedSettings.length > 0 && !hasReportedRejections) onRejectedSettings(rejectedSettings)
    hasReportedRejections ||= rejectedSettings.length > 0
  }
  function dropIdle(reason: string): void {
    const idle = [...open].filter((client) => !used.has(client) && client.unansweredSince === undefined)
    for (const client of idle) client.abandon(reason)
  }
  function replaceReadOnly(): void {
    const now = performance.now()
    if (now - replacedAt < replaceEveryMs) return
    replacedAt = now
    const reason = 'Postgres accepts no writes: connections are replaced, in case another server is the primary now'
    onError(new ConnectionAbandoned(reason))
    hosts.reject(hosts.current)
    for (const client of open) retired.add(client)
    dropIdle(reason)
    for (const client of unpooled) client.abandon(reason)
  }

  const pool = new pg.Pool({
    ...defaultOptions,
    Client: Connection as never,
    max: limits.database_pool_size,
    application_name: applicationNames.statements,
    onConnect: (client) => prepareConnection(client as unknown as Connection),
  })
  pool.on('acquire', (client) => used.add(client as unknown as Connection))
  pool.on('release', (_error, client) => {
    const released = client as unknown as Connection
    used.delete(released)
    if (retired.has(released)) void released.end().catch(() => {})
  })
  pool.on('error', (error) => {
    // The pool adds the client with its password to the error, which must not be logged.
    Object.assign(error, { client: undefined })
    // An abandoned connection was reported when it was closed.
    if (!(error instanceof ConnectionAbandoned)) onError(error)
  })
  const stopMonitor = monitorConnections({
    open,
    answerMs: Math.max(limits.database_query_timeout_ms, limits.database_statement_timeout_ms + 1000),
    connect: () => connectClient({ ...defaultOptions, application_name: applicationNames.monitor }),
    onDead(reason) {
      onError(new ConnectionAbandoned(reason))
      dropIdle(reason)
    },
  })

  /** Tries each server of the URL once. */
  async function connectAny(): Promise<pg.PoolClient> {
    for (let attempts = 1; ; attempts++) {
      try {
        return await pool.connect()
      } catch (error) {
        if (attempts >= hosts.count || outageDetector.isUnavailable) throw error
      }
    }
  }

  return {
    pool,
    isUnavailable: () => outageDetector.isUnavailable,
    replaceReadOnly,
    async acquire() {
      let connecting: Promise<pg.PoolClient> | undefined
      const waiting = { since: performance.now() }
      waitingForConnection.add(waiting)
      try {
        return await outageDetector.runIfAvailable(() => (connecting = connectAny()))
      } catch (error) {
        // The connection can be established after the caller has given up.
        connecting?.then(
          (client) => client.release(),
          () => {},
        )
        throw error
      } finally {
        waitingForConnection.delete(waiting)
      }
    },
    dropIdle,
    usage: () => ({
      used: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waiting: countLongWaits(waitingForConnection),
    }),
    closeAll() {
      stopMonitor()
      clearInterval(outageTimer)
      for (const client of open) client.abandon('the service is ending')
    },
    async connect(application_name) {
      const client = await connectClient({ ...defaultOptions, application_name }).catch((error) => {
        if (isServerError(error)) outageDetector.noteAnswer()
        throw error
      })
      unpooled.add(client)
      client.once('end', () => unpooled.delete(client))
      client.setAnswerListener(() => outageDetector.noteAnswer())
      const timeout = setTimeout(() => client.abandon('no answer'), connectMs)
      try {
        await client.requirePrimary()
        await applySession(client, sessionSettings(limits))
      } catch (error) {
        client.abandon('it is not used')
        throw error
      } finally {
        clearTimeout(timeout)
      }
      return client
    },
  }
}

async function connectClient(options: ConstructorParameters<typeof Connection>[0]): Promise<Connection> {
  const client = new Connection(options)
  client.on('error', () => {})
  await client.connect()
  return client
}

/** A pool for migrations, which can take any time. Only TCP detects a dead server. */
export function poolWithoutTimeouts(hosts: Hosts, limits: Limits): pg.Pool {
  const pool = new pg.Pool({
    ...connectionOptions(hosts, limits),
    Client: Connection as never,
    max: 2,
    application_name: applicationNames.migration,
    onConnect: async (client) => {
      const connection = client as unknown as Connection
      await connection.requirePrimary()
      await applySession(connection, sessionWithoutTimeouts(limits))
    },
  })
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

function connectionOptions(hosts: Hosts, { database_keepalive_ms }: Limits) {
  return {
    hosts,
    types,
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: database_keepalive_ms,
  }
}
