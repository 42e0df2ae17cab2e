import { waitFor } from '#platform/async/wait-for.ts'
import type { Now } from '#platform/core/clock.ts'
import type { KubernetesClient } from '../client/client.ts'
import type { KubernetesObject } from '../client/object.ts'
import { type createObjects, objectName } from '../objects.ts'
import type { Pod } from './pod.ts'
import type { Pods } from './pods.ts'
import { findLastWarning } from './warnings.ts'

type Objects = ReturnType<typeof createObjects>

/** Creates or updates the objects of an intern. Its volume is created once and never changed. */
export async function applyObjects(client: KubernetesClient, { secret, volume, others }: Objects): Promise<void> {
  if (!(await client.get('PersistentVolumeClaim', volume.metadata.name))) await client.apply(volume)
  for (const object of [secret, ...others] satisfies KubernetesObject[]) await client.apply(object)
}

type PodStart = {
  internId: string
  settingsHash: string
  /** Whether the daemon of the pod at this address answers. */
  isResponding: (address: string) => Promise<boolean>
  /** The time limit of the start. */
  startMs: number
  /** The time without an answer after which a pod that ran before the start is replaced. */
  unresponsiveMs: number
  /** The additional time limit of a clone. */
  cloneMs: number
  signal: AbortSignal
  /** Called when the clone of the repository starts. */
  onCloning: () => void
  /** Called when the pod runs. */
  onRunning: () => void
}

/** The interval of health checks of the daemon. Changes of the pod are reported without polling. */
const checkEveryMs = 250

type StartPodDeps = { client: KubernetesClient; pods: Pick<Pods, 'follow'>; now: Now }

/**
 * Waits for the pod with these settings, and for its daemon to answer. @returns its address.
 * @throws Error with the reason of the timeout, written for the intern's owner.
 */
export function startRespondingPod(deps: StartPodDeps, start: PodStart): Promise<string> {
  return new PodStartup(deps, start).waitForAddress()
}

class PodStartup {
  readonly #deps: StartPodDeps
  readonly #start: PodStart
  /** The system time, for the cluster's warnings. */
  readonly #startedAt: number
  readonly #monotonicStart = performance.now()
  #withinMs: number
  /** The pod as it was last reported. */
  #pod: Pod | undefined
  #isFirstReport = true
  /** The pod that ran before this start, and that can hang; undefined without one. */
  #earlierPod: { uid: string; since: number } | undefined
  /** The running pod that was reported to `onRunning`. */
  #runningUid: string | undefined
  #isCloningReported = false

  constructor(deps: StartPodDeps, start: PodStart) {
    this.#deps = deps
    this.#start = start
    this.#startedAt = deps.now()
    this.#withinMs = start.startMs
  }

  waitForAddress(): Promise<string> {
    const subscribe = (onChange: () => void) =>
      this.#deps.pods.follow(this.#start.internId, (pod) => {
        this.#onPod(pod)
        onChange()
      })
    return waitFor(() => this.#check(), { subscribe, recheckMs: checkEveryMs })
  }

  #onPod(pod: Pod | undefined): void {
    this.#pod = pod
    if (this.#isFirstReport && pod?.isRunning) this.#earlierPod = { uid: pod.uid, since: performance.now() }
    this.#isFirstReport = false
  }

  /** @returns the address if the daemon answers. @throws Error if the start has failed. */
  async #check(): Promise<string | undefined> {
    this.#start.signal.throwIfAborted()
    // `#pod` can change during the requests below.
    const pod = this.#pod
    if (pod && isReachable(pod, this.#start.settingsHash)) {
      this.#reportRunning(pod)
      if (await this.#start.isResponding(pod.address)) return pod.address
      await this.#removeIfHanging(pod)
    }
    if (pod?.isLost) {
      await endPermanently(this.#deps.client, this.#start)
      throw new Error(`It cannot be started: ${pod.problem}.`)
    }
    if (pod?.isCloning) this.#allowTimeForClone()
    await this.#throwIfCloneFailed(pod)
    if (performance.now() - this.#monotonicStart > this.#withinMs)
      throw await createTimeoutError(this.#deps.client, this.#start, {
        withinMs: this.#withinMs,
        startedAt: this.#startedAt,
        pod,
      })
    return undefined
  }

  #reportRunning({ uid }: Pod): void {
    if (this.#runningUid !== uid) this.#start.onRunning()
    this.#runningUid = uid
  }

  /** Removes a pod that hangs since before this start. The StatefulSet replaces it, but not if its node is lost. */
  async #removeIfHanging({ name, uid, isLost }: Pod): Promise<void> {
    const earlier = this.#earlierPod
    const isHanging = earlier?.uid === uid && performance.now() - earlier.since > this.#start.unresponsiveMs
    if (isHanging && !isLost) await this.#deps.client.remove('Pod', name, uid)
  }

  #allowTimeForClone(): void {
    if (this.#isCloningReported) return
    this.#isCloningReported = true
    this.#start.onCloning()
    this.#withinMs += this.#start.cloneMs
  }

  async #throwIfCloneFailed(pod: Pod | undefined): Promise<void> {
    if (!pod?.cloneFailure || pod.settingsHash !== this.#start.settingsHash || pod.isEnding) return
    await endPermanently(this.#deps.client, this.#start, pod)
    throw new Error(pod.cloneFailure)
  }
}

/** Whether the pod can answer. A daemon can also answer on a node that the cluster reports as lost. */
function isReachable(pod: Pod, settingsHash: string): pod is Pod & { address: string } {
  const isUsable = pod.problem === undefined || (pod.isLost && !pod.isEnding)
  return pod.settingsHash === settingsHash && pod.isRunning && pod.address !== undefined && isUsable
}

/**
 * Ends a pod after a failed start, because nothing would supervise it if it started later.
 * @param pod the pod to remove at once; undefined if only the cluster removes it, for example because its node is lost.
 */
async function endPermanently(client: KubernetesClient, { internId }: PodStart, pod?: Pod): Promise<void> {
  await client.merge('StatefulSet', objectName(internId), { spec: { replicas: 0 } }).catch(() => {})
  // Otherwise the next start would mistake this pod, which has the same settings, for its own.
  if (pod) await client.remove('Pod', pod.name, pod.uid).catch(() => {})
}

type Timeout = { withinMs: number; startedAt: number; pod: Pod | undefined }

async function createTimeoutError(
  client: KubernetesClient,
  start: PodStart,
  { withinMs, startedAt, pod }: Timeout,
): Promise<Error> {
  const warning = pod?.isProblemExplained ? undefined : await findLastWarning(client, start.internId, startedAt)
  await endPermanently(client, start)
  let reason: string
  if (pod !== undefined) reason = pod.problem ?? 'its daemon does not respond'
  else if (warning !== undefined) reason = 'it has no pod'
  else reason = 'it has no pod: the cluster does not create one, or does not respond'
  if (warning !== undefined) reason += `; the cluster says: ${warning}`
  return new Error(`The intern did not respond within ${withinMs / 1000} s: ${reason.replace(/\.$/, '')}.`)
}
