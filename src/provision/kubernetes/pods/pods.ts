import type { KubernetesClient } from '../client/client.ts'
import { followObjects } from '../client/follow-objects.ts'
import { internSelector } from '../objects.ts'
import { type Pod, toPod } from './pod.ts'

/** Called with the current state of a pod; undefined without a pod. */
type PodListener = (pod: Pod | undefined) => void

/** How long pods are followed after the last listener has left. */
const lingerMs = 10_000

/** The pods of all interns of a namespace. One watch follows them while there are listeners. */
export class Pods {
  readonly #deps: { client: KubernetesClient; onError: (error: Error) => void }
  readonly #pods = new Map<string, Pod>()
  readonly #listeners = new Map<string, Set<PodListener>>()
  #unfollow: (() => Promise<void>) | undefined
  #isListed = false
  #lingerTimer: NodeJS.Timeout | undefined

  constructor(deps: { client: KubernetesClient; onError: (error: Error) => void }) {
    this.#deps = deps
  }

  /**
   * Calls `listener` with the pod of an intern, as soon as it is known and after each change.
   * @returns a function that removes the listener.
   */
  follow(internId: string, listener: PodListener): () => void {
    const listeners = this.#listeners.get(internId) ?? new Set()
    this.#listeners.set(internId, listeners.add(listener))
    clearTimeout(this.#lingerTimer)
    this.#start()
    if (this.#isListed) queueMicrotask(() => listeners.has(listener) && listener(this.#pods.get(internId)))
    return () => {
      listeners.delete(listener)
      // A second call must not remove the set of listeners that came after the last one of this set had left.
      if (listeners.size === 0 && this.#listeners.get(internId) === listeners) this.#listeners.delete(internId)
      if (this.#listeners.size === 0) this.#lingerTimer = setTimeout(() => this.#end(), lingerMs).unref()
    }
  }

  #start(): void {
    if (this.#unfollow) return
    const notify = (internId: string) => {
      if (this.#isListed) for (const listener of this.#listeners.get(internId) ?? []) listener(this.#pods.get(internId))
    }
    const { client, onError } = this.#deps
    this.#unfollow = followObjects({
      client,
      kind: 'Pod',
      labels: internSelector,
      onError,
      onChanged: (object) => {
        const pod = toPod(object)
        this.#pods.set(pod.internId, pod)
        notify(pod.internId)
      },
      onRemoved: (object) => {
        const pod = toPod(object)
        this.#pods.delete(pod.internId)
        notify(pod.internId)
      },
      onListed: () => {
        if (this.#isListed) return
        this.#isListed = true
        for (const internId of this.#listeners.keys()) notify(internId)
      },
    })
  }

  #end(): void {
    void this.#unfollow?.()
    this.#unfollow = undefined
    this.#isListed = false
    this.#pods.clear()
  }
}
