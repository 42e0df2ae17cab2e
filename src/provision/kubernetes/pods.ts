import type { KubernetesClient } from './client.ts'
import { followObjects } from './follow.ts'
import { ownLabels } from './objects.ts'
import { type Pod, podOf } from './pod.ts'

/** Hears of a pod as it is now; undefined: there is none. */
type Seen = (pod: Pod | undefined) => void

/** How long pods are followed after the last one who wanted to know. */
const lingerMs = 10_000

/** The pods of all interns of a namespace, followed by one watch while anybody wants to know of one. */
export class Pods {
  readonly #deps: { client: KubernetesClient; onError: (error: Error) => void }
  readonly #pods = new Map<string, Pod>()
  readonly #listeners = new Map<string, Set<Seen>>()
  #following: AbortController | undefined
  #isListed = false
  #ending: NodeJS.Timeout | undefined

  constructor(deps: { client: KubernetesClient; onError: (error: Error) => void }) {
    this.#deps = deps
  }

  /** Calls `seen` with the pod of an intern, as soon as it is known and whenever it changes. @returns the way to end it. */
  follow(intern: string, seen: Seen): () => void {
    const listeners = this.#listeners.get(intern) ?? new Set()
    this.#listeners.set(intern, listeners.add(seen))
    clearTimeout(this.#ending)
    this.#begin()
    if (this.#isListed) queueMicrotask(() => listeners.has(seen) && seen(this.#pods.get(intern)))
    return () => {
      listeners.delete(seen)
      if (listeners.size === 0 && this.#listeners.get(intern) === listeners) this.#listeners.delete(intern)
      if (this.#listeners.size === 0) this.#ending = setTimeout(() => this.#end(), lingerMs).unref()
    }
  }

  #begin(): void {
    if (this.#following) return
    this.#following = new AbortController()
    const tell = (intern: string) => {
      if (this.#isListed) for (const seen of this.#listeners.get(intern) ?? []) seen(this.#pods.get(intern))
    }
    const followed = {
      ...{ client: this.#deps.client, kind: 'Pod' as const, labels: ownLabels, onError: this.#deps.onError },
      changed: (object: Parameters<typeof podOf>[0]) => {
        const pod = podOf(object)
        this.#pods.set(pod.intern, pod)
        tell(pod.intern)
      },
      removed: (object: Parameters<typeof podOf>[0]) => {
        const pod = podOf(object)
        this.#pods.delete(pod.intern)
        tell(pod.intern)
      },
      listed: () => {
        if (this.#isListed) return
        this.#isListed = true
        for (const intern of this.#listeners.keys()) tell(intern)
      },
    }
    void followObjects(followed, this.#following.signal)
  }

  #end(): void {
    this.#following?.abort()
    this.#following = undefined
    this.#isListed = false
    this.#pods.clear()
  }
}
