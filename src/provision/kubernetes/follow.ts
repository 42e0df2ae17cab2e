import { setTimeout as sleep } from 'node:timers/promises'
import type { KubernetesClient } from './client.ts'
import type { Kind, KubernetesObject } from './object.ts'
import { KubernetesError } from './requests.ts'

type Followed = {
  client: Pick<KubernetesClient, 'list' | 'watch'>
  kind: Kind
  labels: string
  /** Hears of each object that is there, and of each change. */
  changed: (object: KubernetesObject) => void
  /** Hears of each object that is no more, as it was last known. */
  removed: (object: KubernetesObject) => void
  /** Hears that it has been told all that there is. */
  listed: () => void
  onError: (error: Error) => void
}

const pause = { firstMs: 500, mostMs: 15_000 }

/**
 * Follows objects of the cluster until `signal` aborts: a list of all, then what changes. Where the API server is away,
 * what was last known stays; when it is back, or does not know any more where we were, the list is read again, and
 * what is missing in it has been removed.
 */
export async function followObjects(followed: Followed, signal: AbortSignal): Promise<void> {
  const known = new Map<string, KubernetesObject>()
  for (let failures = 0; !signal.aborted; ) {
    try {
      let version = await relist(followed, known, signal)
      failures = 0
      while (!signal.aborted) {
        const begun = performance.now()
        version = await watchOn(followed, known, version, signal)
        // Whoever stands in between may end each one at once.
        if (performance.now() - begun < pause.firstMs) await rest(pause.firstMs, signal)
      }
    } catch (error) {
      if (signal.aborted) return
      // That we were away for too long is as it is meant to be.
      if (!(error instanceof KubernetesError && error.status === 410)) followed.onError(error as Error)
      await rest(Math.min(pause.firstMs * 2 ** failures++, pause.mostMs), signal)
    }
  }
}

type Known = Map<string, KubernetesObject>

async function relist(followed: Followed, known: Known, signal: AbortSignal): Promise<string> {
  const { client, kind, labels, changed, removed, listed } = followed
  const { items, version } = await client.list(kind, labels)
  signal.throwIfAborted()
  const names = new Set(items.map(({ metadata }) => metadata.name))
  for (const [name, object] of known) {
    if (names.has(name)) continue
    known.delete(name)
    removed(object)
  }
  for (const item of items) {
    const before = known.get(item.metadata.name)
    known.set(item.metadata.name, item)
    if (before?.metadata.resourceVersion !== item.metadata.resourceVersion) changed(item)
  }
  listed()
  return version
}

/** One watch, to its end. @returns from where the next one goes on. */
async function watchOn(followed: Followed, known: Known, from: string, signal: AbortSignal): Promise<string> {
  const { client, kind, labels, changed, removed } = followed
  let version = from
  for await (const { type, object } of client.watch(kind, labels, version, signal)) {
    version = object.metadata.resourceVersion ?? version
    if (type === 'BOOKMARK') continue
    if (type === 'DELETED') {
      known.delete(object.metadata.name)
      removed(object)
    } else {
      known.set(object.metadata.name, object)
      changed(object)
    }
  }
  return version
}

async function rest(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal, ref: false }).catch(() => {})
}
