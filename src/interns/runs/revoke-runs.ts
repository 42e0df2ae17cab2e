import { startReconciler } from '#platform/async/reconcile.ts'
import type { Db } from '#platform/db/db.ts'
import { subscribeToEntity } from '#platform/db/signals.ts'
import type { DaemonApi } from '../contract/daemon-api.ts'
import type { Intern } from '../registry/intern-store.ts'
import { findStarters, type RunStarter } from './run-store.ts'

/** Whether the user who started a run can still use the intern, and when that expires (milliseconds since the epoch). */
type StarterAccess = { isAllowed: boolean; expiresAt: number | null }
export type CheckStarter = (starter: RunStarter, intern: Intern) => Promise<StarterAccess>

type RevokeDeps = {
  db: Pick<Db, 'query' | 'signals'>
  now: () => number
  checkStarter: CheckStarter
  onError: (error: Error) => void
}

/** Fallback for lost notifications. */
const recheckMs = 60_000
const retryMs = 1000

/**
 * Cancels background runs of an intern when the key that started them is revoked or expires, or when their starter
 * loses access to the intern. Runs no query while the intern has no runs.
 * @returns a trigger. Call it when a background run may have started.
 */
export function revokeRuns(
  { db, now, checkStarter, onError }: RevokeDeps,
  intern: Intern,
  runsOf: () => Pick<DaemonApi, 'cancel'>,
  signal: AbortSignal,
): () => void {
  let hasRuns = true

  async function cancelRevoked(): Promise<number | undefined> {
    const starters = await findStarters(db.query, intern.id)
    hasRuns = starters.length > 0
    let nextMs = recheckMs
    for (const { id, starter } of starters) {
      if (!starter) continue
      const { isAllowed, expiresAt } = await checkStarter(starter, intern)
      if (!isAllowed) await runsOf().cancel(id)
      else if (expiresAt !== null) nextMs = Math.min(nextMs, Math.max(0, expiresAt - now()))
    }
    return hasRuns ? nextMs : undefined
  }

  const { trigger } = startReconciler(cancelRevoked, {
    signal,
    retryMs,
    onError: ({ message }) =>
      onError(new Error(`Failed to check who started the runs of intern ${intern.id}: ${message}`)),
  })
  const onChange = () => hasRuns && trigger()
  const subscriptions = [
    db.signals.subscribe('key.changed', onChange),
    db.signals.subscribe('organization.changed', onChange),
    subscribeToEntity(db.signals, 'intern.changed', intern.id)(onChange),
  ]
  signal.addEventListener('abort', () => {
    for (const unsubscribe of subscriptions) unsubscribe()
  })
  return trigger
}
