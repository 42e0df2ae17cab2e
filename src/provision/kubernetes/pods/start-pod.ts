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

/**
 * Waits for the pod with these settings, and for its daemon to answer. @returns its address.
 * @throws Error with the reason of the timeout, written for the intern's owner.
 */
export async function startRespondingPod(
  { client, pods, now }: { client: KubernetesClient; pods: Pick<Pods, 'follow'>; now: Now },
  start: PodStart,
): Promise<string> {
  let pod: Pod | undefined
  let isFirstReport = true
  /** The pod that ran before this start, and that can hang; undefined without one. */
  let earlierPod: { uid: string; since: number } | undefined
  const subscribe = (onChange: () => void) =>
    pods.follow(start.internId, (reportedPod) => {
      pod = reportedPod
      if (isFirstReport && reportedPod?.isRunning) earlierPod = { uid: reportedPod.uid, since: performance.now() }
      isFirstReport = false
      onChange()
    })
  const monotonicStart = performance.now()
  /** The system time, for the cluster's warnings. */
  const startedAt = now()
  const steps = createStepReports(start)
  let withinMs = start.startMs
  const checkPod = async () => {
    start.signal.throwIfAborted()
    // `pod` can change during the requests below.
    const current: Pod | undefined = pod
    if (current && canAnswer(current, start.settingsHash)) {
      steps.reportRunning(current.uid)
      if (await start.isResponding(current.address)) return current.address
      const isHanging = earlierPod?.uid === current.uid && performance.now() - earlierPod.since > start.unresponsiveMs
      // The StatefulSet replaces a removed pod, but not if its node is lost.
      if (isHanging && !current.isLost) await client.remove('Pod', current.name, current.uid)
    }
    if (current?.isLost) throw new Error(`It cannot be started: ${current.problem}.`)
    if (current?.isCloning && steps.reportCloning()) withinMs += start.cloneMs
    if (current?.cloneFailure && current.settingsHash === start.settingsHash && !current.isEnding) {
      await endPermanently(client, start, current)
      throw new Error(current.cloneFailure)
    }
    if (performance.now() - monotonicStart > withinMs)
      throw await timeoutError(client, start, { withinMs, startedAt, pod: current })
    return undefined
  }
  return waitFor(checkPod, { subscribe, recheckMs: checkEveryMs })
}

/** Reports the steps of a start: the clone once, and the start of each pod once. */
function createStepReports({ onRunning, onCloning }: PodStart) {
  let runningUid: string | undefined
  let isCloningReported = false
  return {
    reportRunning(podUid: string): void {
      if (runningUid !== podUid) onRunning()
      runningUid = podUid
    },
    /** @returns whether this is the first report. */
    reportCloning(): boolean {
      if (isCloningReported) return false
      isCloningReported = true
      onCloning()
      return true
    },
  }
}

/** Whether the pod can answer. A daemon can also answer on a node that the cluster reports as lost. */
function canAnswer(pod: Pod, settingsHash: string): pod is Pod & { address: string } {
  const isUsable = pod.problem === undefined || (pod.isLost && !pod.isEnding)
  return pod.settingsHash === settingsHash && pod.isRunning && pod.address !== undefined && isUsable
}

/** Ends a pod after a failed start, because nothing would supervise it if it started later. */
async function endPermanently(client: KubernetesClient, { internId }: PodStart, pod?: Pod): Promise<void> {
  await client.merge('StatefulSet', objectName(internId), { spec: { replicas: 0 } }).catch(() => {})
  // Otherwise the next start would mistake this pod, which has the same settings, for its own.
  if (pod) await client.remove('Pod', pod.name, pod.uid).catch(() => {})
}

type Timeout = { withinMs: number; startedAt: number; pod: Pod | undefined }

async function timeoutError(
  client: KubernetesClient,
  start: PodStart,
  { withinMs, startedAt, pod }: Timeout,
): Promise<Error> {
  const warning = pod?.isProblemExplained ? undefined : await findLastWarning(client, start.internId, startedAt)
  await endPermanently(client, start)
  let reason: string
  if (pod !== undefined) reason = pod.problem ?? 'its daemon does not answer'
  else if (warning !== undefined) reason = 'it has no pod'
  else reason = 'it has no pod: the cluster does not create one, or does not answer'
  if (warning !== undefined) reason += `; the cluster says: ${warning}`
  return new Error(`The intern did not answer within ${withinMs / 1000} s: ${reason.replace(/\.$/, '')}.`)
}
