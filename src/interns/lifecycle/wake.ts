import { setTimeout as sleep } from 'node:timers/promises'
import type { Now } from '#platform/core/clock.ts'
import type { Db } from '#platform/db/db.ts'
import { Refusal, type RefusalKind } from '../contract/refusal.ts'
import { goneMessage, type InternHosts, neverHeardOf } from '../hosts/hosts.ts'
import { internChanged } from '../registry/events.ts'
import { type Intern, internById, isAsleep, isUp } from '../registry/store.ts'

export type WakeDeps = { db: Db; now: Now; hosts: Pick<InternHosts, 'here' | 'find'> }
/** `idleMs`: after how long without a turn interns fall asleep. */
type WhileAwakeDeps = WakeDeps & { idleMs: number }

/** What becomes of an intern that is started is announced; who misses that looks all the same. */
const lookAtLeastEveryMs = 200
/** Its daemon has said that it sleeps, and the database is to say so in a moment. */
const asleepWithinMs = 30_000

/** Returns an intern that sleeps or wakes as soon as it is up, any other at once. @throws Refusal `host_gone`. */
export async function awake(deps: WakeDeps, intern: Intern, signal: AbortSignal): Promise<Intern> {
  if (isPending(intern)) await requireHost(deps, intern)
  if (!isComing(intern)) return intern
  if (isAsleep(intern)) await startAgain(deps, intern)
  let found = intern
  using changes = changesOf(deps.db, intern.id)
  for (;;) {
    const changed = changes.next()
    found = (await internById(deps.db.query, intern.id)) ?? { ...found, status: 'destroying' }
    if (isPending(found)) await requireHost(deps, found)
    if (!isComing(found)) return found
    // It fell asleep again before anybody came to say anything.
    if (isAsleep(found)) await startAgain(deps, found)
    else await Promise.race([changed, sleep(lookAtLeastEveryMs, undefined, { signal })])
  }
}

/** `next` resolves when something of the intern changes after the call. */
function changesOf({ signals }: Pick<Db, 'signals'>, id: string) {
  let heard = Promise.withResolvers<void>()
  const end = signals.subscribe('intern.changed', (changed) => {
    if (changed !== id) return
    heard.resolve()
    heard = Promise.withResolvers()
  })
  return { next: () => heard.promise, [Symbol.dispose]: end }
}

/**
 * Does what needs the intern, which is woken for it. It may fall asleep before it hears of it: then it is woken again.
 * @param work rejects with a `Refusal` where nothing has begun.
 */
export async function whileAwake<T>(
  deps: WhileAwakeDeps,
  intern: Intern,
  signal: AbortSignal,
  work: (intern: Intern) => Promise<T>,
): Promise<T> {
  for (let found = intern; ; ) {
    const ready = await awake(deps, found, signal)
    const askedAt = deps.now()
    try {
      return await work(ready)
    } catch (error) {
      const again = error instanceof Refusal && (await fallenAsleep(deps, ready, signal, { kind: error.kind, askedAt }))
      if (!again || signal.aborted) throw error
      found = again
    }
  }
}

/** The intern, where it fell asleep before it began anything; who else wanted it may have woken it since. Who leaves waits no more. */
async function fallenAsleep(
  { db, idleMs }: WhileAwakeDeps,
  asked: Intern,
  signal: AbortSignal,
  { kind, askedAt }: { kind: RefusalKind; askedAt: number },
): Promise<Intern | undefined> {
  if (!sleepers.includes(kind)) return undefined
  // It was not spoken to. Else a turn may have begun, which would have kept it awake for so long.
  const hasBegunNothing = kind !== 'stream_severed'
  const late = performance.now() + (kind === 'intern_asleep' ? asleepWithinMs : 0)
  using changes = changesOf(db, asked.id)
  for (;;) {
    const changed = changes.next()
    const intern = await internById(db.query, asked.id)
    if (intern && isComing(intern))
      return hasBegunNothing || intern.asleepSince! - askedAt < idleMs ? intern : undefined
    if (intern && hasBegunNothing && isUp(intern) && intern.updatedAt > asked.updatedAt) return intern
    const leftMs = late - performance.now()
    if (leftMs <= 0 || signal.aborted) return undefined
    const look = sleep(Math.min(leftMs, lookAtLeastEveryMs), undefined, { signal })
    await Promise.race([changed, look.catch(() => {})])
  }
}

/** How it seems to whoever speaks to a daemon that sleeps, is gone, or is about to be. */
const sleepers: readonly RefusalKind[] = ['intern_asleep', 'intern_unreachable', 'stream_severed']

/** While it is woken, it is still known since when it slept. */
const isComing = ({ status, asleepSince }: Intern) =>
  asleepSince !== null && ['running', 'queued', 'provisioning'].includes(status)

const isPending = ({ status }: Intern) => status === 'queued' || status === 'provisioning'

/** Only a server of its host starts an intern. @throws Refusal `host_gone` if none is left, as after a rename. */
async function requireHost({ hosts }: Pick<WakeDeps, 'hosts'>, { hostname }: Intern): Promise<void> {
  if (hostname === null || hostname === hosts.here) return
  const { gone } = (await hosts.find(hostname)) ?? neverHeardOf(hostname)
  if (gone) throw new Refusal('host_gone', goneMessage(gone))
}

/** Queues it for a server of its host. The audit trail has no record: a request for the intern is not an act of starting it. */
async function startAgain(deps: WakeDeps, asleep: Intern): Promise<void> {
  await requireHost(deps, asleep)
  const { db, now } = deps
  const { id } = asleep
  await db.exclusively(`intern:${id}`, async (tx, announce) => {
    const intern = await internById(tx, id)
    if (!intern || !isAsleep(intern)) return
    await tx.updateTable('interns').set({ status: 'queued', updated_at: now() }).where('id', '=', id).execute()
    announce('intern.changed', id, internChanged({ ...intern, status: 'queued' }, now()))
  })
}
