import { waitFor } from '#platform/async/wait-for.ts'
import type { Now } from '#platform/core/clock.ts'
import type { KubernetesClient } from './client.ts'
import type { KubernetesObject } from './object.ts'
import { nameOf, type objectsOf } from './objects.ts'
import type { Pod } from './pod.ts'
import type { Pods } from './pods.ts'
import { lastWarning } from './warnings.ts'

type Objects = ReturnType<typeof objectsOf>

/** Creates or updates the objects of an intern. Its volume is created once and never changed. */
export async function applyObjects(client: KubernetesClient, { secret, volume, others }: Objects): Promise<void> {
  if (!(await client.get('PersistentVolumeClaim', volume.metadata.name))) await client.apply(volume)
  for (const object of [secret, ...others] satisfies KubernetesObject[]) await client.apply(object)
}

type PodStart = {
  intern: string
  settings: string
  /** Whether the daemon of the pod at this address answers. */
  answers: (address: string) => Promise<boolean>
  /** The time limit of the start, and the time without an answer after which an earlier pod is replaced. */
  startMs: number
  unresponsiveMs: number
  /** The additional time limit of a clone. */
  cloneMs: number
  signal: AbortSignal
  /** Called when the clone of the repository starts. */
  onCloning: () => void
  /** Called when the pod runs. */
  onRunning: () => void
}

const checkEveryMs = 250

/**
 * Waits for the pod with these settings, and for its daemon to answer. @returns its address.
 * @throws Error with the reason of the timeout, written for the intern's owner.
 */
export async function startRespondingPod(
  { client, pods, now: clock }: { client: KubernetesClient; pods: Pick<Pods, 'follow'>; now: Now },
  start: PodStart,
): Promise<string> {
  let pod: Pod | undefined
  /** A pod that ran before this start, which can hang; null without one. */
  let earlier: { uid: string; since: number } | null | undefined
  const subscribe = (onChange: () => void) =>
    pods.follow(start.intern, (current) => {
      pod = current
      if (earlier === undefined) earlier = current?.isRunning ? { uid: current.uid, since: performance.now() } : null
      onChange()
    })
  const [since, startedAt] = [performance.now(), clock()]
  let running: string | undefined
  let withinMs = start.startMs
  const read = async () => {
    start.signal.throwIfAborted()
    const now: Pod | undefined = pod
    if (now && canAnswer(now, start.settings)) {
      if (running !== now.uid) start.onRunning()
      running = now.uid
      if (await start.answers(now.address)) return now.address
      // The StatefulSet creates another pod, but not if the node is lost.
      if (!now.isLost && earlier?.uid === now.uid && performance.now() - earlier.since > start.unresponsiveMs)
        await client.remove('Pod', now.name, now.uid)
    }
    if (now?.isLost) throw new Error(`It cannot be started: ${now.problem}.`)
    if (now?.isCloning && withinMs === start.startMs) {
      withinMs += start.cloneMs
      start.onCloning()
    }
    if (now?.cloneFailure && now.settings === start.settings && !now.isEnding) {
      await endPermanently(client, start, now)
      throw new Error(now.cloneFailure)
    }
    if (performance.now() - since > withinMs) throw await timeoutError(client, start, { withinMs, startedAt, pod: now })
    return undefined
  }
  return waitFor(read, { subscribe, recheckMs: checkEveryMs })
}

/** Whether the pod can answer. A daemon can also answer on a node that the cluster reports as lost. */
function canAnswer(pod: Pod, settings: string): pod is Pod & { address: string } {
  const isUsable = pod.problem === undefined || (pod.isLost && !pod.isEnding)
  return pod.settings === settings && pod.isRunning && pod.address !== undefined && isUsable
}

/** Ends a pod after a failed start, because nothing would supervise it if it started later. */
async function endPermanently(client: KubernetesClient, { intern }: PodStart, pod?: Pod): Promise<void> {
  await client.merge('StatefulSet', nameOf(intern), { spec: { replicas: 0 } }).catch(() => {})
  // Otherwise the next start would take this pod for its own.
  if (pod) await client.remove('Pod', pod.name, pod.uid).catch(() => {})
}

type Timeout = { withinMs: number; startedAt: number; pod: Pod | undefined }

async function timeoutError(
  client: KubernetesClient,
  start: PodStart,
  { withinMs, startedAt, pod }: Timeout,
): Promise<Error> {
  const warning = pod?.isExplained ? undefined : await lastWarning(client, start.intern, startedAt)
  await endPermanently(client, start)
  const none = warning === undefined ? ': the cluster does not create one, or does not answer' : ''
  const why = pod === undefined ? `it has no pod${none}` : (pod.problem ?? 'its daemon does not answer')
  const reason = warning === undefined ? why : `${why}; the cluster says: ${warning}`
  return new Error(`The intern did not answer within ${withinMs / 1000} s: ${reason.replace(/\.$/, '')}.`)
}
