import { setTimeout as sleep } from 'node:timers/promises'
import { startReconciler } from '../../async/reconcile.ts'
import { waitAtMost } from '../../async/wait-at-most.ts'
import { steadyNow } from '../../core/clock.ts'
import { createLocalSignals, type LocalSignals } from '../signals.ts'
import type { ClockSample } from './clock-offset.ts'
import { type Connection, ConnectionAbandoned, NotPrimary } from './connection.ts'
import { channel, trackRevisions } from './revisions.ts'

const heartbeatMs = 300
/** Two heartbeats can be late before caches stop trusting the notifications. */
const maxSilenceMs = 900

/** The longest wait of `close` for a heartbeat, and again for the end of the connection. */
const closeTimeoutMs = 500

/**
 * The interval of checking whether the database accepts writes. A standby does not, and neither does a server during a
 * switch-over.
 */
const checkReadOnlyEveryMs = 1000

type PostgresSignals = LocalSignals & {
  /** Whether the database was read-only at the last check. */
  isReadOnly: () => boolean
  /** Why the last heartbeat failed immediately, for example because connections are refused; undefined for a time-out. */
  connectionError: () => Error | undefined
  close: () => Promise<void>
}

type SignalListeners = {
  onError: (error: Error) => void
  /** Called at each check that finds the database read-only. */
  onReadOnly?: () => void
  /** Called with each comparison of this host's clock and the clock of the database. */
  onClock?: (sample: ClockSample) => void
}

/**
 * Notifications by LISTEN/NOTIFY on a dedicated connection. A heartbeat compares the revision of every topic with the
 * received ones, so that a missed notification is detected within 0.9 s. If the heartbeat fails, `live()` returns false,
 * and caches read from the database until it succeeds.
 */
export async function openPostgresSignals(
  openConnection: () => Promise<Connection>,
  { onError, onReadOnly = () => {}, onClock = () => {} }: SignalListeners,
): Promise<PostgresSignals> {
  const local = createLocalSignals()
  const revisions = trackRevisions()
  let isClosing = false
  let client: Connection | undefined
  /** The time up to which all notifications were received or reported as missed. 0 before the first heartbeat of a connection. */
  let receivedUntil = 0
  let lastBeatAt = 0
  let readOnly = false
  let readOnlyCheckedAt = Number.NEGATIVE_INFINITY
  let connectionError: Error | undefined

  function disconnect(closedClient: Connection, error: Error): void {
    if (client !== closedClient) return
    client = undefined
    if (receivedUntil !== 0 && !isClosing) onError(error)
    receivedUntil = 0
    closedClient.end().catch(() => {})
  }

  async function connect(): Promise<Connection> {
    const newClient = await openConnection()
    newClient.on('error', (error) => disconnect(newClient, error))
    newClient.on('notification', ({ payload }) => {
      const { notification, missed } = revisions.record(payload ?? '')
      if (missed) local.reportMissed()
      local.deliver(notification)
    })
    client = newClient
    await Promise.race([newClient.query(`listen ${channel}`), rejectAfterTimeout()])
    return newClient
  }

  async function sendHeartbeat(): Promise<void> {
    const startedAt = steadyNow()
    try {
      const connected = client ?? (await connect())
      const missed = await Promise.race([revisions.catchUp(connected), rejectAfterTimeout()])
      if (startedAt - readOnlyCheckedAt > checkReadOnlyEveryMs)
        await Promise.race([checkReadOnly(connected), rejectAfterTimeout()])
      if (missed) local.reportMissed()
      if (client !== connected) return
      receivedUntil = startedAt
      lastBeatAt = startedAt
      connectionError = undefined
    } catch (error) {
      if (error instanceof NotPrimary) readOnly = true
      connectionError = isTimeout(error) ? undefined : (error as Error)
      if (client) disconnect(client, error as Error)
    }
  }

  async function checkReadOnly(connection: Connection): Promise<void> {
    readOnlyCheckedAt = steadyNow()
    const { readOnly: isReadOnly, clock } = await connection.requirePrimary()
    readOnly = isReadOnly
    onClock(clock)
    if (readOnly) onReadOnly()
  }

  async function heartbeatPass(): Promise<number> {
    await sendHeartbeat()
    return heartbeatMs
  }

  await sendHeartbeat()
  const heartbeat = startReconciler(heartbeatPass, { firstMs: 0, retryMs: heartbeatMs, onError })
  return {
    ...local,
    live: () => steadyNow() - receivedUntil < maxSilenceMs,
    silentForMs: () => steadyNow() - lastBeatAt,
    isReadOnly: () => readOnly,
    connectionError: () => connectionError,
    async close() {
      isClosing = true
      // Does not wait for a connection that is still being opened.
      await waitAtMost(closeTimeoutMs, heartbeat.stop())
      const lastClient = client
      if (!lastClient) return
      // Does not wait for a server that does not answer.
      await waitAtMost(
        closeTimeoutMs,
        lastClient.end().catch(() => {}),
      )
      lastClient.abandon('the service is ending')
    },
  }
}

async function rejectAfterTimeout(): Promise<never> {
  await sleep(maxSilenceMs, undefined, { ref: false })
  throw new ConnectionAbandoned('the connection for signals does not respond')
}

/** Whether the error is a time-out, and not a refusal of the server. */
function isTimeout(error: unknown): boolean {
  return error instanceof ConnectionAbandoned || /timeout expired/.test(String((error as Error).message))
}
