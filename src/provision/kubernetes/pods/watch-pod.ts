import type { InternHealth } from '#interns/contract/runs.ts'
import { waitAtMost } from '#platform/async/wait-at-most.ts'
import { monitorAnswers } from '../../processes/daemon-monitor.ts'
import type { Pod } from './pod.ts'
import type { Pods } from './pods.ts'

type WatchOptions = {
  internId: string
  /** The address of the pod. */
  address: string
  /** The current image of pods. */
  image: string
  health: (withinMs: number) => Promise<InternHealth | undefined>
  /** The reason for which the node evicts this pod, if it does. */
  findEviction: (pod: Pod) => Promise<string | undefined>
  unresponsiveMs: number
}

/** The time in which a daemon can answer although the cluster reports its node as lost. */
const lostNodeCheckMs = 2000
/** The time in which the cluster can report an eviction. */
const evictionCheckMs = 1000

/**
 * Watches the pod of an intern by the cluster's reports and by its daemon's answers, because neither shows all failures.
 * While the API server is unreachable, only the answers count. @returns a function that stops the watch.
 */
export function watchPod(
  pods: Pick<Pods, 'follow'>,
  { internId, address, image, health, findEviction, unresponsiveMs }: WatchOptions,
  onEnd: (reason: string) => void,
  onOutdated: () => void,
): () => void {
  let isActive = true
  let isStopped = false
  /** The pod as it was first reported. */
  let firstPod: Pod | undefined
  let node: string | undefined
  const stop = () => {
    isActive = false
    unfollow()
    stopChecks()
  }
  const finish = (report: () => void) => {
    if (!isActive) return
    stop()
    report()
  }
  const unfollow = pods.follow(internId, (pod) => {
    const reason = findEndReason(pod, address, firstPod)
    firstPod ??= pod
    node = pod?.node
    if (!reason) return
    if (pod?.isLost) void endIfSilent(reason)
    else finish(() => void reportEnd(reason))
  })
  /** The pod shows how it ended; after an eviction, the node reports why. */
  const reportEnd = async (endText: string) => {
    const eviction = firstPod && (await waitAtMost(evictionCheckMs, findEviction(firstPod)))
    if (!isStopped) onEnd(eviction === undefined ? endText : toSentence(eviction))
  }
  /** The report of a lost node can be wrong, for example after an outage of the API server. */
  const endIfSilent = async (reason: string) => {
    if (!(await health(lostNodeCheckMs))) finish(() => onEnd(reason))
  }
  const isResponding = async (withinMs: number) => {
    const current = await health(withinMs)
    const isIdle = current !== undefined && current.runs === 0 && current.waiting === 0
    if (isIdle && firstPod !== undefined && firstPod.image !== image) finish(onOutdated)
    return current !== undefined
  }
  const nodeNote = () => (node === undefined ? '' : `, on the node ${node}`)
  const onUnresponsive = (reason: string) => finish(() => void reportEnd(`The daemon ${reason}${nodeNote()}.`))
  const stopChecks = monitorAnswers(isResponding, unresponsiveMs, onUnresponsive)
  return () => {
    isStopped = true
    stop()
  }
}

const toSentence = (text: string) => `${text[0]!.toUpperCase()}${text.slice(1)}.`

function findEndReason(pod: Pod | undefined, address: string, firstPod: Pod | undefined): string | undefined {
  if (pod === undefined) return 'Its pod was deleted.'
  if (pod.problem !== undefined) return toSentence(pod.problem)
  if (pod.address !== address || (firstPod && firstPod.uid !== pod.uid)) return 'Its pod was replaced by another.'
  if (firstPod && pod.restarts > firstPod.restarts)
    return `Its daemon ended ${pod.lastEnd ?? 'without a message'}, and the cluster restarted it.`
  return undefined
}
