import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { type Announcement, localSignals, type Signals } from '../signals.ts'

export const channel = 'signalbox'
const heartbeatMs = 300
const trustedForMs = 900

export type PostgresSignals = Signals & {
  deliver: (announcement: Announcement) => void
  close: () => Promise<void>
}

/**
 * Signals over LISTEN/NOTIFY on a connection of their own. A heartbeat proves the connection alive: without one for
 * 0.9 s `live()` turns false, and caches must ask the database themselves until it is back.
 */
export async function postgresSignals(
  connectionString: string,
  onError: (error: Error) => void,
): Promise<PostgresSignals> {
  const local = localSignals()
  const closing = new AbortController()
  let client: pg.Client | undefined
  let heardAt = 0

  async function connect(): Promise<pg.Client> {
    const fresh = new pg.Client({
      connectionString,
      connectionTimeoutMillis: 5000,
      application_name: 'signalbox signals',
    })
    fresh.on('error', () => {
      heardAt = 0
    })
    fresh.on('notification', ({ payload }) => {
      local.deliver(JSON.parse(payload ?? '{}') as Announcement)
    })
    await fresh.connect()
    await fresh.query(`listen ${channel}`)
    return fresh
  }

  async function beat(): Promise<void> {
    try {
      client ??= await connect()
      await Promise.race([
        client.query('select 1'),
        sleep(trustedForMs, undefined, { ref: false }).then(() => Promise.reject(new Error('no answer'))),
      ])
      heardAt = Date.now()
    } catch (error) {
      if (heardAt !== 0 && !closing.signal.aborted) onError(error as Error)
      heardAt = 0
      const dead = client
      client = undefined
      dead?.end().catch(() => {})
    }
  }

  async function keepBeating(): Promise<void> {
    while (!closing.signal.aborted) {
      await beat()
      await sleep(heartbeatMs, undefined, { signal: closing.signal, ref: false }).catch(() => {})
    }
  }

  await beat()
  const beating = keepBeating()
  return {
    subscribe: local.subscribe,
    live: () => Date.now() - heardAt < trustedForMs,
    deliver: local.deliver,
    async close() {
      closing.abort()
      await beating
      await client?.end().catch(() => {})
    },
  }
}
