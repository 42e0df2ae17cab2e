import pg from 'pg'
import type { DatabaseHealth } from '../db.ts'
import { countLongWaits } from '../long-waits.ts'
import { applicationNames } from './application-names.ts'
import { Connection, ConnectionAbandoned, isAnswer, types } from './connection.ts'
import { monitorConnections } from './connection-monitor.ts'
import type { Hosts } from './hosts.ts'
import { checkEveryMs, Presence } from './presence.ts'
import { type Limits, sessionOf, setUp, withoutTimeouts } from './session.ts'

/** The connections of one server. */
export type Connections = {
  pool: pg.Pool
  /** Takes a connection from the pool. @throws ConnectionAbandoned immediately while Postgres does not answer. */
  take: () => Promise<pg.PoolClient>
  /** Closes idle connections, which can be dead without notice. */
  dropIdle: (why: string) => void
  /** Closes all connections, also those in use, and stops the monitors. */
  cut: () => void
  standing: () => Pick<DatabaseHealth, 'used' | 'idle' | 'waiting'>
  /** Whether Postgres answered nothing at all for `database_silence_ms`. */
  isAway: () => boolean
  /** Closes every connection after its statement, because the server is read-only and another one can be the primary. */
  leaveReadOnly: () => void
  /** Opens a connection outside the pool, for signals. */
  connect: (applicationName: string) => Promise<Connection>
}

export const connectMs = 5000

/** The interval of replacing connections to a read-only server, because its address can lead to another one later. */
const leaveEveryMs = 5000

type ConnectionsDeps = {
  limits: Limits
  onError: (error: Error) => void
  onUnset: (names: string[]) => void
  /** Postgres has not answered for `database_silence_ms`. */
  onAway?: () => void
  /** Postgres answers again. */
  onBack?: (awayMs: number) => void
}

export function openConnections(hosts: Hosts, deps: ConnectionsDeps): Connections {
  const { limits, onError, onUnset, onAway = () => {}, onBack = () => {} } = deps
  const standard = optionsOf(hosts, limits)
  const [open, used] = [new Set<Connection>(), new Set<Connection>()]
  /** Connections outside the pool, and those that are closed when they are released. */
  const [extra, retired] = [new Set<Connection>(), new WeakSet<Connection>()]
  const waitingForConnection = new Set<{ since: number }>()
  let leftAt = Number.NEGATIVE_INFINITY
  let isReported = false
  const presence = new Presence({
    silenceMs: limits.database_silence_ms,
    onAway(why) {
      onError(new ConnectionAbandoned(why))
      onAway()
      for (const client of open) client.abandon(why)
    },
    onRecovered: onBack,
  })
  const looking = setInterval(() => presence.look(), checkEveryMs).unref()

  async function prepare(client: Connection): Promise<void> {
    open.add(client)
    client.once('end', () => open.delete(client))
    // A connection in use reports errors by its query. Between two queries, an error without a listener would end the process.
    client.on('error', () => {})
    client.whenAnswered(() => presence.noteAnswer())
    client.whenWriteRefused(leaveReadOnly)
    await client.requirePrimary()
    const refused = await setUp(client, sessionOf(limits))
    if (refused.length > 0 && !isReported) onUnset(refused)
    isReported ||= refused.length > 0
  }
  function dropIdle(why: string): void {
    const idle = [...open].filter((client) => !used.has(client) && client.unansweredSince === undefined)
    for (const client of idle) client.abandon(why)
  }
  function leaveReadOnly(): void {
    const now = performance.now()
    if (now - leftAt < leaveEveryMs) return
    leftAt = now
    const why = 'Postgres accepts no writes: connections are replaced, in case another server is the primary now'
    onError(new ConnectionAbandoned(why))
    hosts.reject(hosts.current)
    for (const client of open) retired.add(client)
    dropIdle(why)
    for (const client of extra) client.abandon(why)
  }

  const pool = new pg.Pool({
    ...standard,
    Client: Connection as never,
    max: limits.database_pool_size ?? 10,
    application_name: applicationNames.statements,
    onConnect: (client) => prepare(client as unknown as Connection),
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
  const endWatch = monitorConnections({
    open,
    answerMs: Math.max(limits.database_query_timeout_ms, limits.database_statement_timeout_ms + 1000),
    connect: () => connectedTo({ ...standard, application_name: applicationNames.monitor }),
    onDead(why) {
      onError(new ConnectionAbandoned(why))
      dropIdle(why)
    },
  })

  /** Tries each server of the URL once. */
  async function connectAny(): Promise<pg.PoolClient> {
    for (let tries = 1; ; tries++) {
      try {
        return await pool.connect()
      } catch (error) {
        if (tries >= hosts.count || presence.isUnavailable) throw error
      }
    }
  }

  return {
    pool,
    isAway: () => presence.isUnavailable,
    leaveReadOnly,
    async take() {
      let connecting: Promise<pg.PoolClient> | undefined
      const waiting = { since: performance.now() }
      waitingForConnection.add(waiting)
      try {
        return await presence.unlessUnavailable(() => (connecting = connectAny()))
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
    standing: () => ({
      used: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waiting: countLongWaits(waitingForConnection),
    }),
    cut() {
      endWatch()
      clearInterval(looking)
      for (const client of open) client.abandon('the service is ending')
    },
    async connect(application_name) {
      const client = await connectedTo({ ...standard, application_name }).catch((error) => {
        if (isAnswer(error)) presence.noteAnswer()
        throw error
      })
      extra.add(client)
      client.once('end', () => extra.delete(client))
      client.whenAnswered(() => presence.noteAnswer())
      const late = setTimeout(() => client.abandon('no answer'), connectMs)
      try {
        await client.requirePrimary()
        await setUp(client, sessionOf(limits))
      } catch (error) {
        client.abandon('it is not used')
        throw error
      } finally {
        clearTimeout(late)
      }
      return client
    },
  }
}

async function connectedTo(options: ConstructorParameters<typeof Connection>[0]): Promise<Connection> {
  const client = new Connection(options)
  client.on('error', () => {})
  await client.connect()
  return client
}

/** A pool for migrations, which can take any time. Only TCP detects a dead server. */
export function poolWithoutTimeouts(hosts: Hosts, limits: Limits): pg.Pool {
  const pool = new pg.Pool({
    ...optionsOf(hosts, limits),
    Client: Connection as never,
    max: 2,
    application_name: applicationNames.migration,
    onConnect: async (client) => {
      const connection = client as unknown as Connection
      await connection.requirePrimary()
      await setUp(connection, withoutTimeouts(limits))
    },
  })
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

function optionsOf(hosts: Hosts, { database_keepalive_ms }: Limits) {
  return {
    hosts,
    types,
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: database_keepalive_ms,
  }
}
