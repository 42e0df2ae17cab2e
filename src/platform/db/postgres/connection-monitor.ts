import type { Connection } from './connection.ts'

const checkEveryMs = 250

/** After this time without an answer, another connection asks the server whether it is still working on the query. */
const askAfterMs = 2000
const askEveryMs = 1000

type ConnectionMonitorDeps = {
  open: ReadonlySet<Connection>
  /** The absolute time limit of an answer. */
  answerMs: number
  /** Opens a connection outside the pool. */
  connect: () => Promise<Connection>
  onDead: (why: string) => void
}

/**
 * Finds connections that lose all packets. Neither side closes them, so a query would wait until TCP gives up.
 * @returns the function that stops the monitor.
 */
export function monitorConnections({ open, answerMs, connect, onDead }: ConnectionMonitorDeps): () => void {
  let lookedAt = performance.now()
  let askedAt = 0
  let asking = false

  function giveUp(dead: Connection[], why: string): void {
    if (dead.length === 0) return
    for (const connection of dead) connection.abandon(why)
    onDead(why)
  }
  const silentFor = (ms: number, now: number) =>
    [...open].filter(({ unansweredSince }) => unansweredSince !== undefined && now - unansweredSince > ms)

  async function ask(silent: Connection[]): Promise<void> {
    asking = true
    try {
      const forgotten = await idleOnServer(await connect(), silent)
      const dead = forgotten.filter(({ unansweredSince }) => unansweredSince !== undefined)
      giveUp(
        dead,
        `a query was not answered for ${askAfterMs} ms, and the server is not processing it: its connection is dead`,
      )
    } catch {
      // A new connection fails too, so only the time limit decides.
    } finally {
      asking = false
    }
  }

  function look(): void {
    const now = performance.now()
    const stoodStill = now - lookedAt > 4 * checkEveryMs
    lookedAt = now
    // This process was blocked, so an answer can have arrived unread.
    if (stoodStill) return
    giveUp(silentFor(answerMs, now), `a query was not answered for ${answerMs} ms: its connection is closed`)
    const silent = silentFor(askAfterMs, now)
    if (silent.length === 0 || asking || now - askedAt < askEveryMs) return
    askedAt = now
    void ask(silent)
  }
  const looking = setInterval(look, checkEveryMs).unref()
  return () => clearInterval(looking)
}

/** Finds connections whose server process is idle. Those processes are ended, so that their locks are released. */
async function idleOnServer(connection: Connection, silent: Connection[]): Promise<Connection[]> {
  const give = setTimeout(() => connection.abandon('no answer'), askAfterMs)
  try {
    const { rows } = await connection.query(
      `select pid, pg_terminate_backend(pid) from pg_stat_activity
       where pid = any($1) and state like 'idle%' and state_change < now() - interval '1 second'`,
      [silent.map(({ processID }) => processID)],
    )
    const idle = new Set(rows.map(({ pid }: { pid: number }) => pid))
    return silent.filter(({ processID }) => processID !== null && idle.has(processID))
  } finally {
    clearTimeout(give)
    connection.end().catch(() => {})
  }
}
