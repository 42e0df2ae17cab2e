import { setTimeout as sleep } from 'node:timers/promises'
import type { InternHealth } from '#interns/contract/runs.ts'
import { monitorAnswers } from '../processes/daemon-monitor.ts'
import type { Pod } from './pod.ts'
import type { Pods } from './pods.ts'

type Watched = {
  intern: string
  /** Of the pod that is watched. */
  address: string
  /** The image that pods are to have. */
  image: string
  health: (withinMs: number) => Promise<InternHealth | undefined>
  /** Why its node evicts this pod, where it does. */
  evicted: (pod: Pod) => Promise<string | undefined>
  unresponsiveMs: number
}

/** How long a daemon may take to contradict what the cluster says of its node. */
const hearsayMs = 2000
/** How long the cluster may take to say that it was an eviction. */
const askedMs = 1000

/**
 * Watches an intern in two ways, as neither sees all: what the cluster says of its pod, and whether its daemon answers.
 * While the API server is away, only the second counts. @returns the way to stop watching.
 */
export function watchPod(
  pods: Pick<Pods, 'follow'>,
  { intern, address, image, health, evicted, unresponsiveMs }: Watched,
  gone: (reason: string) => void,
  outdated: () => void,
): () => void {
  let watched = true
  let wanted = true
  let first: Pod | undefined
  let node: string | undefined
  const stop = () => {
    watched = false
    unfollow()
    stopAsking()
  }
  const tell = (told: () => void) => {
    if (!watched) return
    stop()
    told()
  }
  const unfollow = pods.follow(intern, (pod) => {
    const reason = whyGone(pod, address, first)
    first ??= pod
    node = pod?.node
    if (!reason) return
    if (pod?.isLost) void unlessItAnswers(() => gone(reason))
    else tell(() => void tellWhy(reason))
  })
  /** How it ended is told by its pod; why, in the case of an eviction, by its node. */
  const tellWhy = async (how: string) => {
    const why = first && (await Promise.race([evicted(first), sleep(askedMs, undefined, { ref: false })]))
    if (wanted) gone(why === undefined ? how : sentence(why))
  }
  /** What the cluster says of a node is hearsay: after a time without API server it has heard of none for a while. */
  const unlessItAnswers = async (told: () => void) => {
    if (!(await health(hearsayMs))) tell(told)
  }
  const answers = async (withinMs: number) => {
    const now = await health(withinMs)
    const isIdle = now !== undefined && now.runs === 0 && now.waiting === 0
    if (isIdle && first !== undefined && first.image !== image) tell(outdated)
    return now !== undefined
  }
  const where = () => (node === undefined ? '' : `, on the node ${node}`)
  const silent = (reason: string) => tell(() => void tellWhy(`The daemon ${reason}${where()}.`))
  const stopAsking = monitorAnswers(answers, unresponsiveMs, silent)
  return () => {
    wanted = false
    stop()
  }
}

const sentence = (text: string) => `${text[0]!.toUpperCase()}${text.slice(1)}.`

function whyGone(pod: Pod | undefined, address: string, first: Pod | undefined): string | undefined {
  if (pod === undefined) return 'Its pod was deleted.'
  if (pod.why !== undefined) return sentence(pod.why)
  if (pod.address !== address || (first && first.uid !== pod.uid)) return 'Its pod was replaced by another.'
  if (first && pod.restarts > first.restarts)
    return `Its daemon ended ${pod.lastEnd ?? 'without a word'}, and was started again by the cluster.`
  return undefined
}
