import type { Connection } from './connection.ts'

const checkEveryMs = 250

/** After so long without an answer the server is asked, on another connection, whether it works on one. */
const askAfterMs = 2000
const askEveryMs = 1000

type ConnectionMonitorDeps = {
  open: ReadonlySet<Connection>
  /** No answer takes longer than this, whatever the server says. */
  answerMs: number
  /** A fresh connection, outside the pool. */
  connect: () => Promise<Connection>
  onDead: (why: string) => void
}

/**
 * Finds connections on which packets vanish: nobody ends those, and a query on one waits for as long as TCP tries.
 * @returns the way to end the watch.
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
      giveUp(dead, `a query is unanswered for ${askAfterMs} ms and the server works on none: its connection is dead`)
    } catch {
      // It cannot be reached on a new connection either: the time for an answer decides.
    } finally {
      asking = false
    }
  }

  function look(): void {
    const now = performance.now()
    const stoodStill = now - lookedAt > 4 * checkEveryMs
    lookedAt = now
    // The answer may have come, and nobody was there to read it.
    if (stoodStill) return
    giveUp(silentFor(answerMs, now), `a query is unanswered for ${answerMs} ms: its connection is given up`)
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
