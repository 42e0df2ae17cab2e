import pg from 'pg'
import type { DatabaseHealth } from '../db.ts'
import { countLongWaits } from '../long-waits.ts'
import { applicationNames } from './application-names.ts'
import { Connection, ConnectionAbandoned, isServerError, types } from './connection.ts'
import { monitorConnections } from './connection-monitor.ts'
import type { Hosts } from './hosts.ts'
import { checkEveryMs, OutageDetector } from './outage-detector.ts'
import { applySession, type ConnectionSettings, sessionSettings, sessionWithoutTimeouts } from './session.ts'

/** The time limit of establishing a connection, and again of preparing one outside the pool. */
const connectMs = 5000

/** Postgres gets this time after its own limit to report that it ended a statement. */
const reportMs = 1000

/** The interval of replacing connections to a read-only server, because its address can lead to another server later. */
const replaceEveryMs = 5000

type ConnectionsDeps = {
  settings: ConnectionSettings
  onError: (error: Error) => void
  onRejectedSettings: (names: string[]) => void
  /** Postgres has not answered for `database_silence_ms`. */
  onUnavailable?: (() => void) | undefined
  /** Postgres answers again. */
  onRecovered?: ((outageMs: number) => void) | undefined
}

/** The connections of this server: a pool for statements, and connections outside the pool for signals. */
export class Connections {
  readonly pool: pg.Pool
  readonly #hosts: Hosts
  readonly #settings: ConnectionSettings
  readonly #onError: ConnectionsDeps['onError']
  readonly #onRejectedSettings: ConnectionsDeps['onRejectedSettings']
  readonly #defaultOptions: ReturnType<typeof connectionOptions>
  /** The open connections of the pool. */
  readonly #pooled = new Set<Connection>()
  /** The connections of the pool that a caller has acquired. */
  readonly #used = new Set<Connection>()
  /** The connections of the pool that will be closed when they are released. */
  readonly #retired = new WeakSet<Connection>()
  /** Connections outside the pool. */
  readonly #unpooled = new Set<Connection>()
  readonly #waitingForConnection = new Set<{ since: number }>()
  readonly #outageDetector: OutageDetector
  readonly #outageTimer: NodeJS.Timeout
  readonly #stopMonitor: () => void
  #replacedAt = Number.NEGATIVE_INFINITY
  #hasReportedRejections = false

  constructor(hosts: Hosts, deps: ConnectionsDeps) {
    const { settings, onError, onRejectedSettings, onUnavailable = () => {}, onRecovered = () => {} } = deps
    this.#hosts = hosts
    this.#settings = settings
    this.#onError = onError
    this.#onRejectedSettings = onRejectedSettings
    this.#defaultOptions = connectionOptions(hosts, settings)
    this.#outageDetector = new OutageDetector({
      silenceMs: settings.database_silence_ms,
      onUnavailable: (reason) => {
        onError(new ConnectionAbandoned(reason))
        onUnavailable()
        for (const client of this.#pooled) client.abandon(reason)
      },
      onRecovered,
    })
    this.#outageTimer = setInterval(() => this.#outageDetector.check(), checkEveryMs).unref()
    this.pool = this.#createPool()
    this.#stopMonitor = this.#startMonitor()
  }

  #createPool(): pg.Pool {
    const pool = new pg.Pool({
      ...this.#defaultOptions,
      // `pg.Pool` opens its connections with this class, but has no type parameter for it.
      Client: Connection as never,
      max: this.#settings.database_pool_size,
      application_name: applicationNames.statements,
      onConnect: (client) => this.#prepareConnection(client as unknown as Connection),
    })
    pool.on('acquire', (client) => this.#used.add(client as unknown as Connection))
    pool.on('release', (_error, client) => {
      const released = client as unknown as Connection
      this.#used.delete(released)
      if (this.#retired.has(released)) void released.end().catch(() => {})
    })
    pool.on('error', (error) => {
      // The pool adds the client with its password to the error, which must not be logged.
      Object.assign(error, { client: undefined })
      // An abandoned connection was reported when it was closed.
      if (!(error instanceof ConnectionAbandoned)) this.#onError(error)
    })
    return pool
  }

  #startMonitor(): () => void {
    const { database_query_timeout_ms: queryMs, database_statement_timeout_ms: statementMs } = this.#settings
    return monitorConnections({
      open: this.#pooled,
      responseMs: Math.max(queryMs, statementMs + reportMs),
      connect: () => connectClient({ ...this.#defaultOptions, application_name: applicationNames.monitor }),
      onDead: (reason) => {
        this.#onError(new ConnectionAbandoned(reason))
        this.dropIdle(reason)
      },
    })
  }

  async #prepareConnection(client: Connection): Promise<void> {
    this.#pooled.add(client)
    client.once('end', () => this.#pooled.delete(client))
    // A connection in use reports errors by its query. Between two queries, an error without a listener would end the process.
    client.on('error', () => {})
    client.setResponseListener(() => this.#outageDetector.recordResponse())
    client.setWriteRefusedListener(() => this.replaceReadOnly())
    await client.requirePrimary()
    const rejectedSettings = await applySession(client, sessionSettings(this.#settings))
    if (rejectedSettings.length > 0 && !this.#hasReportedRejections) this.#onRejectedSettings(rejectedSettings)
    this.#hasReportedRejections ||= rejectedSettings.length > 0
  }

  /** Closes idle connections, because they can be dead without an error. */
  dropIdle(reason: string): void {
    const idle = [...this.#pooled].filter((client) => !this.#used.has(client) && client.pendingSince === undefined)
    for (const client of idle) client.abandon(reason)
  }

  /** Closes every connection after its statement, because the server is read-only and another one can be the primary. */
  replaceReadOnly(): void {
    const now = performance.now()
    if (now - this.#replacedAt < replaceEveryMs) return
    this.#replacedAt = now
    const reason = 'Postgres accepts no writes: connections are replaced, in case another server is the primary now'
    this.#onError(new ConnectionAbandoned(reason))
    this.#hosts.reject(this.#hosts.current)
    for (const client of this.#pooled) this.#retired.add(client)
    this.dropIdle(reason)
    for (const client of this.#unpooled) client.abandon(reason)
  }

  /** Whether Postgres has not answered at all for `database_silence_ms`. */
  isUnavailable(): boolean {
    return this.#outageDetector.isUnavailable
  }

  /** Acquires a connection of the pool. @throws ConnectionAbandoned immediately while Postgres is unavailable. */
  async acquire(): Promise<pg.PoolClient> {
    let connecting: Promise<pg.PoolClient> | undefined
    const waiting = { since: performance.now() }
    this.#waitingForConnection.add(waiting)
    try {
      return await this.#outageDetector.runIfAvailable(() => (connecting = this.#connectAny()))
    } catch (error) {
      // The connection can be established after the caller has given up.
      connecting?.then(
        (client) => client.release(),
        () => {},
      )
      throw error
    } finally {
      this.#waitingForConnection.delete(waiting)
    }
  }

  /** Tries each server of the URL once. */
  async #connectAny(): Promise<pg.PoolClient> {
    for (let attempts = 1; ; attempts++) {
      try {
        return await this.pool.connect()
      } catch (error) {
        if (attempts >= this.#hosts.count || this.#outageDetector.isUnavailable) throw error
      }
    }
  }

  usage(): Pick<DatabaseHealth, 'used' | 'idle' | 'waiting'> {
    const { totalCount, idleCount } = this.pool
    return { used: totalCount - idleCount, idle: idleCount, waiting: countLongWaits(this.#waitingForConnection) }
  }

  /** Opens a connection outside the pool, for signals. */
  async connect(applicationName: string): Promise<Connection> {
    const options = { ...this.#defaultOptions, application_name: applicationName }
    const client = await connectClient(options).catch((error) => {
      if (isServerError(error)) this.#outageDetector.recordResponse()
      throw error
    })
    this.#unpooled.add(client)
    client.once('end', () => this.#unpooled.delete(client))
    client.setResponseListener(() => this.#outageDetector.recordResponse())
    const timeout = setTimeout(() => client.abandon('no response'), connectMs)
    try {
      await client.requirePrimary()
      await applySession(client, sessionSettings(this.#settings))
    } catch (error) {
      client.abandon('it is not used')
      throw error
    } finally {
      clearTimeout(timeout)
    }
    return client
  }

  /** Closes all connections of the pool, also those in use, and stops the monitors. */
  closeAll(): void {
    this.#stopMonitor()
    clearInterval(this.#outageTimer)
    for (const client of this.#pooled) client.abandon('the service is ending')
  }
}

async function connectClient(options: ConstructorParameters<typeof Connection>[0]): Promise<Connection> {
  const client = new Connection(options)
  client.on('error', () => {})
  await client.connect()
  return client
}

/** A pool for migrations, which can take any time. Only TCP detects a dead server. */
export function poolWithoutTimeouts(hosts: Hosts, settings: ConnectionSettings): pg.Pool {
  const pool = new pg.Pool({
    ...connectionOptions(hosts, settings),
    Client: Connection as never,
    max: 2,
    application_name: applicationNames.migration,
    onConnect: async (client) => {
      const connection = client as unknown as Connection
      await connection.requirePrimary()
      await applySession(connection, sessionWithoutTimeouts(settings))
    },
  })
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

function connectionOptions(hosts: Hosts, { database_keepalive_ms }: ConnectionSettings) {
  return {
    hosts,
    types,
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: database_keepalive_ms,
  }
}
