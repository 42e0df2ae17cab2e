import type { InternHealth } from '#interns/contract/daemon-api.ts'
import { waitAtMost } from '#platform/async/wait-at-most.ts'
import { monitorResponses } from '../../processes/daemon-monitor.ts'
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

type PodReports = { onEnd: (reason: string) => void; onOutdated: () => void }

/**
 * Watches the pod of an intern by the cluster's reports and by its daemon's answers, because neither shows all failures.
 * While the API server is unreachable, only the answers count. @returns a function that stops the watch.
 */
export function watchPod(
  pods: Pick<Pods, 'follow'>,
  options: WatchOptions,
  onEnd: (reason: string) => void,
  onOutdated: () => void,
): () => void {
  const watch = new PodWatch(pods, options, { onEnd, onOutdated })
  return () => watch.stop()
}

class PodWatch {
  readonly #options: WatchOptions
  readonly #reports: PodReports
  readonly #stopFollowing: () => void
  readonly #stopChecks: () => void
  /** The pod as it was first reported. */
  #firstPod: Pod | undefined
  #node: string | undefined
  /** Whether nothing was reported yet. The watch reports once. */
  #isActive = true
  #isStopped = false

  constructor(pods: Pick<Pods, 'follow'>, options: WatchOptions, reports: PodReports) {
    this.#options = options
    this.#reports = reports
    this.#stopFollowing = pods.follow(options.internId, (pod) => this.#onPod(pod))
    this.#stopChecks = monitorResponses(
      (withinMs) => this.#checkDaemon(withinMs),
      options.unresponsiveMs,
      (reason) => this.#finish(() => void this.#reportEnd(`The daemon ${reason}${this.#nodeNote()}.`)),
    )
  }

  stop(): void {
    this.#isStopped = true
    this.#end()
  }

  #end(): void {
    this.#isActive = false
    this.#stopFollowing()
    this.#stopChecks()
  }

  #finish(report: () => void): void {
    if (!this.#isActive) return
    this.#end()
    report()
  }

  #onPod(pod: Pod | undefined): void {
    const reason = findEndReason(pod, this.#options.address, this.#firstPod)
    this.#firstPod ??= pod
    this.#node = pod?.node
    if (!reason) return
    if (pod?.isLost) void this.#endIfSilent(reason)
    else this.#finish(() => void this.#reportEnd(reason))
  }

  /** The pod shows how it ended; after an eviction, the node reports why. */
  async #reportEnd(endText: string): Promise<void> {
    const pod = this.#firstPod
    const eviction = pod && (await waitAtMost(evictionCheckMs, this.#options.findEviction(pod)))
    if (!this.#isStopped) this.#reports.onEnd(eviction === undefined ? endText : toSentence(eviction))
  }

  /** The report of a lost node can be wrong, for example after an outage of the API server. */
  async #endIfSilent(reason: string): Promise<void> {
    if (!(await this.#options.health(lostNodeCheckMs))) this.#finish(() => this.#reports.onEnd(reason))
  }

  /** @returns whether the daemon answers. Reports an idle pod with an old image. */
  async #checkDaemon(withinMs: number): Promise<boolean> {
    const health = await this.#options.health(withinMs)
    const isIdle = health !== undefined && health.runs === 0 && health.waiting === 0
    const isOutdated = this.#firstPod !== undefined && this.#firstPod.image !== this.#options.image
    if (isIdle && isOutdated) this.#finish(this.#reports.onOutdated)
    return health !== undefined
  }

  #nodeNote(): string {
    return this.#node === undefined ? '' : `, on the node ${this.#node}`
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
