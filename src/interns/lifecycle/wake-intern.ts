import { waitFor } from '#platform/async/wait-for.ts'
import type { Now } from '#platform/core/clock.ts'
import type { Db } from '#platform/db/db.ts'
import { subscribeToEntity } from '#platform/db/signals.ts'
import { Refusal, type RefusalKind } from '../contract/refusal.ts'
import { describeLoss, type InternHosts } from '../hosts/hosts.ts'
import { internChangedEvent } from '../registry/intern-events.ts'
import { findInternById, type Intern, isAsleep, isAwake } from '../registry/intern-store.ts'

export type WakeDeps = { db: Db; now: Now; hosts: Pick<InternHosts, 'findLoss'> }
/** `idleMs`: the time without a run after which interns fall asleep. */
type WhileAwakeDeps = WakeDeps & { idleMs: number }

/** The longest time from the refusal of a daemon that falls asleep until the database has its sleep. */
const fallAsleepTimeoutMs = 30_000

/**
 * Wakes an intern that sleeps, and waits until it is up. Returns any other at once.
 * @throws Refusal `host_gone`; the reason of `signal` if it aborts.
 */
export async function wakeIntern(deps: WakeDeps, intern: Intern, signal: AbortSignal): Promise<Intern> {
  const { db } = deps
  if (!(await wakeIfAsleep(deps, intern))) return intern
  const readAwakeIntern = async () => {
    // A deleted intern is returned like one that is being deleted.
    const latest: Intern = (await findInternById(db.query, intern.id)) ?? { ...intern, status: 'destroying' }
    return (await wakeIfAsleep(deps, latest)) ? undefined : latest
  }
  const subscribe = subscribeToEntity(db.signals, 'intern.changed', intern.id)
  const latest = await waitFor(readAwakeIntern, { subscribe, timeoutMs: Number.POSITIVE_INFINITY, signal })
  if (latest) return latest
  throw signal.reason
}

/** Wakes an intern that sleeps. @returns whether the caller must wait, because the intern is asleep or starting. */
async function wakeIfAsleep(deps: WakeDeps, intern: Intern): Promise<boolean> {
  if (isPending(intern)) await requireHost(deps, intern)
  if (!isAsleepOrWaking(intern)) return false
  if (isAsleep(intern)) await queueStart(deps, intern)
  return true
}

/**
 * Runs `work` with an intern that is up. If the intern falls asleep before it starts the work, wakes it and retries.
 * @param work rejects with a `Refusal` if the intern did not start it.
 */
export async function withAwakeIntern<T>(
  deps: WhileAwakeDeps,
  intern: Intern,
  signal: AbortSignal,
  work: (intern: Intern) => Promise<T>,
): Promise<T> {
  for (let latest = intern; ; ) {
    const awake = await wakeIntern(deps, latest, signal)
    const startedAt = deps.now()
    try {
      return await work(awake)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      const asleep = await findAsleepAfterFailure(deps, awake, signal, { kind: error.kind, startedAt })
      if (!asleep || signal.aborted) throw error
      latest = asleep
    }
  }
}

/**
 * Returns the intern if it fell asleep before it started any work, so that the work can be retried. Another caller can
 * have woken it since.
 */
async function findAsleepAfterFailure(
  { db, idleMs }: WhileAwakeDeps,
  before: Intern,
  signal: AbortSignal,
  { kind, startedAt }: { kind: RefusalKind; startedAt: number },
): Promise<Intern | undefined> {
  if (!wakeableRefusals.includes(kind)) return undefined
  // After a broken connection, a turn may have started. That turn would have kept the intern awake for `idleMs`.
  const isUnstarted = kind !== 'stream_severed'
  /** Returns undefined to wait for another change of the intern, and an object without `retryWith` to give up. */
  const findRetry = async () => {
    const latest = await findInternById(db.query, before.id)
    if (!latest) return undefined
    if (isAsleepOrWaking(latest))
      return { retryWith: isUnstarted || latest.asleepSince! - startedAt < idleMs ? latest : undefined }
    return isUnstarted && isAwake(latest) && latest.updatedAt > before.updatedAt ? { retryWith: latest } : undefined
  }
  const subscribe = subscribeToEntity(db.signals, 'intern.changed', before.id)
  const retry = await waitFor(findRetry, {
    subscribe,
    // After another refusal, the database already has the state that decides.
    timeoutMs: kind === 'intern_asleep' ? fallAsleepTimeoutMs : 0,
    signal,
  })
  return retry?.retryWith
}

/** The refusals of a daemon that sleeps, has ended, or is about to end. */
const wakeableRefusals: readonly RefusalKind[] = ['intern_asleep', 'intern_unreachable', 'stream_severed']

/** Whether an intern sleeps, or is started from sleep: `asleepSince` is cleared only when the intern is up again. */
const isAsleepOrWaking = ({ status, asleepSince }: Intern) =>
  asleepSince !== null && ['running', 'queued', 'provisioning'].includes(status)

const isPending = ({ status }: Intern) => status === 'queued' || status === 'provisioning'

/** Only a server of its host can start an intern. @throws Refusal `host_gone` if its host has no server, as after a rename. */
async function requireHost({ hosts }: Pick<WakeDeps, 'hosts'>, { hostname }: Intern): Promise<void> {
  const loss = await hosts.findLoss(hostname)
  if (loss) throw new Refusal('host_gone', describeLoss(loss))
}

/**
 * Queues an intern to be started by a server of its host. The audit log has no record of it, because the caller only sent a
 * request to the intern.
 */
async function queueStart(deps: WakeDeps, asleep: Intern): Promise<void> {
  await requireHost(deps, asleep)
  const { db, now } = deps
  const { id } = asleep
  await db.exclusively(`intern:${id}`, async (tx, publish) => {
    const intern = await findInternById(tx, id)
    if (!intern || !isAsleep(intern)) return
    await tx.updateTable('interns').set({ status: 'queued', updated_at: now() }).where('id', '=', id).execute()
    publish('intern.changed', id, internChangedEvent({ ...intern, status: 'queued' }, now()))
  })
}
