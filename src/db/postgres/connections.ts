import pg from 'pg'
import type { DatabaseHealth } from '../db.ts'
import { Connection, ConnectionAbandoned, isAnswer, types } from './connection.ts'
import { monitorConnections } from './connection-monitor.ts'
import { lookEveryMs, Presence } from './presence.ts'
import { type Limits, sessionOf, setUp, withoutTimeouts } from './session.ts'

/** The connections of one server. */
export type Connections = {
  pool: pg.Pool
  /** One of the pool. @throws ConnectionAbandoned at once while Postgres answers nothing at all. */
  take: () => Promise<pg.PoolClient>
  /** Lets go of those that nobody uses: they may be dead without our knowing. */
  dropIdle: (why: string) => void
  /** Ends what is open, whoever uses it, and the watch over it. */
  cut: () => void
  standing: () => Pick<DatabaseHealth, 'used' | 'idle' | 'waiting'>
  /** For signals: a connection beside the pool. */
  connect: (applicationName: string) => Promise<Connection>
}

export const connectMs = 5000

type ConnectionsDeps = {
  limits: Limits
  onError: (error: Error) => void
  onUnset: (names: string[]) => void
  /** Postgres answers again after it answered nothing for so long. */
  onBack?: (awayMs: number) => void
}

export function openConnections(connectionString: string, deps: ConnectionsDeps): Connections {
  const { limits, onError, onUnset, onBack = () => {} } = deps
  const standard = optionsOf(connectionString, limits)
  const [open, used] = [new Set<Connection>(), new Set<Connection>()]
  let told = false
  const presence = new Presence({
    silenceMs: limits.database_silence_ms,
    onAway(why) {
      onError(new ConnectionAbandoned(why))
      for (const client of open) client.abandon(why)
    },
    onBack,
  })
  const looking = setInterval(() => presence.look(), lookEveryMs).unref()

  async function prepare(client: Connection): Promise<void> {
    open.add(client)
    client.once('end', () => open.delete(client))
    // One in use tells whoever uses it, by its query; but between two queries nobody would listen, and that ends Node.
    client.on('error', () => {})
    client.whenAnswered(() => presence.heard())
    const refused = await setUp(client, sessionOf(limits))
    if (refused.length > 0 && !told) onUnset(refused)
    told ||= refused.length > 0
  }
  function dropIdle(why: string): void {
    const idle = [...open].filter((client) => !used.has(client) && client.unansweredSince === undefined)
    for (const client of idle) client.abandon(why)
  }

  const pool = new pg.Pool({
    ...standard,
    Client: Connection,
    max: 10,
    application_name: 'signalbox',
    onConnect: (client) => prepare(client as Connection),
  })
  pool.on('acquire', (client) => used.add(client as unknown as Connection))
  pool.on('release', (_error, client) => used.delete(client as unknown as Connection))
  pool.on('error', (error) => {
    // The pool hangs the whole client on it, with what opens its session; that is for nobody's log.
    Object.assign(error, { client: undefined })
    // A connection that we ended ourselves was reported then.
    if (!(error instanceof ConnectionAbandoned)) onError(error)
  })
  const endWatch = monitorConnections({
    open,
    answerMs: Math.max(limits.database_query_timeout_ms, limits.database_statement_timeout_ms + 1000),
    connect: () => connectedTo({ ...standard, application_name: 'signalbox watch' }),
    onDead(why) {
      onError(new ConnectionAbandoned(why))
      dropIdle(why)
    },
  })

  return {
    pool,
    async take() {
      let connecting: Promise<pg.PoolClient> | undefined
      try {
        return await presence.whileThere(() => (connecting = pool.connect()))
      } catch (error) {
        // It may come when nobody waits for it any more.
        connecting?.then(
          (client) => client.release(),
          () => {},
        )
        throw error
      }
    },
    dropIdle,
    standing: () => ({
      used: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    }),
    cut() {
      endWatch()
      clearInterval(looking)
      for (const client of open) client.abandon('the service is ending')
    },
    async connect(application_name) {
      const client = await connectedTo({ ...standard, application_name }).catch((error) => {
        if (isAnswer(error)) presence.heard()
        throw error
      })
      client.whenAnswered(() => presence.heard())
      const late = setTimeout(() => client.abandon('no answer'), connectMs)
      await setUp(client, sessionOf(limits)).finally(() => clearTimeout(late))
      return client
    },
  }
}

async function connectedTo(options: pg.ClientConfig): Promise<Connection> {
  const client = new Connection(options)
  client.on('error', () => {})
  await client.connect()
  return client
}

/** For migrations: nobody is in a hurry, and only TCP says that the other side is gone. */
export function poolWithoutTimeouts(connectionString: string, limits: Limits): pg.Pool {
  const pool = new pg.Pool({
    ...optionsOf(connectionString, limits),
    Client: Connection,
    max: 2,
    application_name: 'signalbox migration',
    onConnect: async (client) => void (await setUp(client as Connection, withoutTimeouts(limits))),
  })
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

function optionsOf(connectionString: string, { database_keepalive_ms }: Limits): pg.ClientConfig {
  return {
    connectionString,
    types,
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: database_keepalive_ms,
  }
}
