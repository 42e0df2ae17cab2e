import type { Now } from '#platform/core/clock.ts'
import type { KubernetesClient } from './client.ts'
import type { KubernetesObject } from './object.ts'
import { nameOf, type objectsOf } from './objects.ts'
import type { Pod } from './pod.ts'
import type { Pods } from './pods.ts'
import { lastWarning } from './warnings.ts'

type Objects = ReturnType<typeof objectsOf>

/** Makes the objects of an intern, or changes them to be so. Its volume is made once, and never changed. */
export async function applyObjects(client: KubernetesClient, { secret, volume, others }: Objects): Promise<void> {
  if (!(await client.get('PersistentVolumeClaim', volume.metadata.name))) await client.apply(volume)
  for (const object of [secret, ...others] satisfies KubernetesObject[]) await client.apply(object)
}

type Wanted = {
  intern: string
  settings: string
  /** Whether the daemon of the pod at this address answers. */
  answers: (address: string) => Promise<boolean>
  /** How long it may take in all, and how long a pod that ran before may say nothing until another takes its place. */
  startMs: number
  unresponsiveMs: number
  /** What a clone may take besides. */
  cloneMs: number
  signal: AbortSignal
  /** Hears that its repository is being cloned. */
  onCloning: () => void
  /** Hears that the pod runs. */
  onRunning: () => void
}

const lookEveryMs = 250

/**
 * Waits for the pod with these settings, and for its daemon to answer. @returns its address.
 * @throws Error that says, for the intern's owner, what it waited for in vain.
 */
export async function podThatAnswers(
  { client, pods, now: clock }: { client: KubernetesClient; pods: Pick<Pods, 'follow'>; now: Now },
  wanted: Wanted,
): Promise<string> {
  let pod: Pod | undefined
  /** One that ran before, and may hang; one that is new may take its time. */
  let before: { uid: string; since: number } | null | undefined
  let changed = Promise.withResolvers<void>()
  const unfollow = pods.follow(wanted.intern, (seen) => {
    pod = seen
    if (before === undefined) before = seen?.isRunning ? { uid: seen.uid, since: performance.now() } : null
    changed.resolve()
  })
  const [since, startedAt] = [performance.now(), clock()]
  let running: string | undefined
  let withinMs = wanted.startMs
  try {
    for (;;) {
      wanted.signal.throwIfAborted()
      const now: Pod | undefined = pod
      if (now && mayAnswer(now, wanted.settings)) {
        if (running !== now.uid) wanted.onRunning()
        running = now.uid
        if (await wanted.answers(now.address)) return now.address
        // Its set makes another, but not on a node that is lost.
        if (!now.isLost && before?.uid === now.uid && performance.now() - before.since > wanted.unresponsiveMs)
          await client.remove('Pod', now.name, now.uid)
      }
      if (now?.isLost) throw new Error(`It cannot be started: ${now.why}.`)
      if (now?.isCloning && withinMs === wanted.startMs) {
        withinMs += wanted.cloneMs
        wanted.onCloning()
      }
      if (now?.cloneFailure && now.settings === wanted.settings && !now.isEnding) {
        await endForGood(client, wanted, now)
        throw new Error(now.cloneFailure)
      }
      if (performance.now() - since > withinMs) throw await inVain(client, wanted, { withinMs, startedAt, pod: now })
      await Promise.race([changed.promise, pause(lookEveryMs)])
      changed = Promise.withResolvers()
    }
  } finally {
    unfollow()
  }
}

/** That a node was not heard of, daemons of its pods may contradict. */
function mayAnswer(pod: Pod, settings: string): pod is Pod & { address: string } {
  const stands = pod.why === undefined || (pod.isLost && !pod.isEnding)
  return pod.settings === settings && pod.isRunning && pod.address !== undefined && stands
}

/** What nobody waits for any more is not to come up later: nobody would look after it. */
async function endForGood(client: KubernetesClient, { intern }: Wanted, pod?: Pod): Promise<void> {
  await client.merge('StatefulSet', nameOf(intern), { spec: { replicas: 0 } }).catch(() => {})
  // So that whoever starts the intern next does not take this one for theirs.
  if (pod) await client.remove('Pod', pod.name, pod.uid).catch(() => {})
}

type Vain = { withinMs: number; startedAt: number; pod: Pod | undefined }

async function inVain(client: KubernetesClient, wanted: Wanted, { withinMs, startedAt, pod }: Vain): Promise<Error> {
  const warning = pod?.isExplained ? undefined : await lastWarning(client, wanted.intern, startedAt)
  await endForGood(client, wanted)
  const none = warning === undefined ? ': the cluster makes none, or cannot be asked' : ''
  const why = pod === undefined ? `there is no pod${none}` : (pod.why ?? 'its daemon says nothing')
  const told = warning === undefined ? why : `${why}; the cluster says: ${warning}`
  return new Error(`The intern did not answer within ${withinMs / 1000} s: ${told.replace(/\.$/, '')}.`)
}

const pause = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms))
