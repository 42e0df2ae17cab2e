import type { Config } from '#platform/config/settings.ts'
import type { Db } from '#platform/db/db.ts'
import type { Log } from '#platform/process/log.ts'
import type { Ledger } from '#spend/metering/ledger.ts'

/** `degraded` still answers completions, with the restriction that the message names. */
type Check = { status: 'ok' | 'degraded' | 'failed'; message?: string }

/** The parts that completions depend on. */
type Checks = { process: Check; database: Check; ledger: Check; catalogue: Check }

/** Whether this server can answer completions now. It is read from memory: no check sends a query. */
export type Readiness = {
  checks: () => Checks
  /** Why completions cannot be answered; undefined if they can. */
  problem: () => string | undefined
}

export type ReadinessDeps = {
  db: Pick<Db, 'kind' | 'health' | 'signals'>
  ledger: Pick<Ledger, 'backlog' | 'hasRoom'>
  config: Pick<Config, 'stale_keys_ms' | 'stale_limits'>
  modelCount: () => number
  /** Why this server is stopping; undefined while it is not. */
  stopReason: () => string | undefined
}

const ok: Check = { status: 'ok' }

export function createReadiness({ db, ledger, config, modelCount, stopReason }: ReadinessDeps): Readiness {
  function databaseCheck(): Check {
    const { isReachable, readOnly, silentMs } = db.health()
    if (!isReachable) return unreachableCheck(silentMs)
    if (!readOnly) return ok
    const message = 'The database is read-only: management requests, and requests under a limit, get 503.'
    return { status: 'degraded', message }
  }

  function unreachableCheck(silentMs: number): Check {
    const problem = `The database has not responded for ${Math.round(silentMs / 1000)} s`
    const remainingMs = config.stale_keys_ms - silentMs
    if (remainingMs <= 0) return { status: 'failed', message: `${problem}: keys cannot be checked.` }
    const limits = config.stale_limits === 'leased' ? 'limits as far as they are leased' : 'no requests under a limit'
    const message = `${problem}. Cached keys are accepted for another ${Math.ceil(remainingMs / 1000)} s, ${limits}.`
    return { status: 'degraded', message }
  }

  function ledgerCheck(): Check {
    if (!ledger.hasRoom()) {
      return { status: 'failed', message: 'Too many metered requests wait to be written, so requests are refused.' }
    }
    const { files } = ledger.backlog()
    if (files.waiting === 0) return ok
    return { status: 'degraded', message: 'Metered requests wait in the data folder until the database accepts them.' }
  }

  function checks(): Checks {
    const reason = stopReason()
    return {
      process: reason === undefined ? ok : { status: 'failed', message: `This server is stopping: ${reason}.` },
      database: databaseCheck(),
      ledger: ledgerCheck(),
      catalogue: modelCount() > 0 ? ok : { status: 'degraded', message: 'The catalogue has no models.' },
    }
  }
  return {
    checks,
    problem: () => Object.values(checks()).find(({ status }) => status === 'failed')?.message,
  }
}

const checkEveryMs = 250

/** Logs each change of readiness. @returns a function that ends it. */
export function logReadiness(readiness: Readiness, log: Pick<Log, 'error' | 'info'>): () => void {
  let isReady = true
  let unreadySince = 0
  const timer = setInterval(() => {
    // The signal to stop has its own line in the log.
    if (readiness.checks().process.status === 'failed') return clearInterval(timer)
    const reason = readiness.problem()
    const wasReady = isReady
    isReady = reason === undefined
    if (isReady === wasReady) return
    const now = performance.now()
    if (isReady) return log.info({ unreadyMs: Math.round(now - unreadySince) }, 'ready again')
    unreadySince = now
    log.error({ reason }, 'not ready: balancers are answered 503')
  }, checkEveryMs).unref()
  return () => clearInterval(timer)
}
