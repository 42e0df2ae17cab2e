import type { Connection } from './connection.ts'

const checkEveryMs = 250

/** After a longer pause between two checks, this process was blocked. */
const longestPauseMs = 4 * checkEveryMs

/** The time without a response after which another connection checks whether the server is still processing the query. */
const serverCheckAfterMs = 2000
const serverCheckEveryMs = 1000

type ConnectionMonitorDeps = {
  open: ReadonlySet<Connection>
  /** The absolute time limit of a response. */
  responseMs: number
  /** Opens a connection outside the pool. */
  connect: () => Promise<Connection>
  onDead: (reason: string) => void
}

/**
 * Finds connections that lose all packets. Neither side closes them, so a query would wait until TCP gives up.
 * @returns the function that stops the monitor.
 */
export function monitorConnections({ open, responseMs, connect, onDead }: ConnectionMonitorDeps): () => void {
  let checkedAt = performance.now()
  let serverCheckedAt = 0
  let isCheckingServer = false

  function abandonAll(connections: Connection[], reason: string): void {
    if (connections.length === 0) return
    for (const connection of connections) connection.abandon(reason)
    onDead(reason)
  }
  const findSilent = (ms: number, now: number) =>
    [...open].filter(({ pendingSince }) => pendingSince !== undefined && now - pendingSince > ms)

  async function checkOnServer(silent: Connection[]): Promise<void> {
    isCheckingServer = true
    try {
      const idle = await terminateIdleProcesses(await connect(), silent)
      // A response may have arrived during the check.
      const dead = idle.filter(({ pendingSince }) => pendingSince !== undefined)
      abandonAll(
        dead,
        `a query was not answered for ${serverCheckAfterMs} ms, and the server is not processing it: its connection is dead`,
      )
    } catch {
      // New connections fail too, so only the absolute time limit applies.
    } finally {
      isCheckingServer = false
    }
  }

  function checkConnections(): void {
    const now = performance.now()
    const wasBlocked = now - checkedAt > longestPauseMs
    checkedAt = now
    // Responses may have arrived while this process was blocked.
    if (wasBlocked) return
    abandonAll(findSilent(responseMs, now), `a query was not answered for ${responseMs} ms: its connection is closed`)
    const silent = findSilent(serverCheckAfterMs, now)
    if (silent.length === 0 || isCheckingServer || now - serverCheckedAt < serverCheckEveryMs) return
    serverCheckedAt = now
    void checkOnServer(silent)
  }
  const checkTimer = setInterval(checkConnections, checkEveryMs).unref()
  return () => clearInterval(checkTimer)
}

/**
 * Ends the server processes of silent connections that are idle, so that their locks are released. A response that was sent
 * within the last second may still arrive.
 * @returns the connections of the ended processes.
 */
async function terminateIdleProcesses(connection: Connection, silent: Connection[]): Promise<Connection[]> {
  const timeout = setTimeout(() => connection.abandon('no response'), serverCheckAfterMs)
  try {
    const { rows } = await connection.query(
      `select pid, pg_terminate_backend(pid) from pg_stat_activity
       where pid = any($1) and state like 'idle%' and state_change < now() - interval '1 second'`,
      [silent.map(({ processID }) => processID)],
    )
    const idle = new Set(rows.map(({ pid }: { pid: number }) => pid))
    return silent.filter(({ processID }) => processID !== null && idle.has(processID))
  } finally {
    clearTimeout(timeout)
    connection.end().catch(() => {})
  }
}
