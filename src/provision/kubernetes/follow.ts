import { setTimeout as sleep } from 'node:timers/promises'
import type { KubernetesClient } from './client.ts'
import type { Kind, KubernetesObject } from './object.ts'
import { KubernetesError } from './requests.ts'

type Followed = {
  client: Pick<KubernetesClient, 'list' | 'watch'>
  kind: Kind
  labels: string
  /** Called for each existing object, and for each change. */
  onChanged: (object: KubernetesObject) => void
  /** Called for each deleted object, with its last known state. */
  onRemoved: (object: KubernetesObject) => void
  /** Called after all existing objects were reported. */
  onListed: () => void
  onError: (error: Error) => void
}

const backoff = { firstMs: 500, maxMs: 15_000 }

/**
 * Follows objects of the cluster until `signal` aborts: lists them, then watches changes. While the API server is unreachable, the last known
 * state remains. When it answers again, or has forgotten the version, the list is read again, and missing objects are reported as removed.
 */
export async function followObjects(followed: Followed, signal: AbortSignal): Promise<void> {
  const objects: ObjectsByName = new Map()
  for (let failures = 0; !signal.aborted; ) {
    try {
      let version = await relist(followed, objects, signal)
      failures = 0
      while (!signal.aborted) {
        const startedAt = performance.now()
        version = await watchOnce(followed, objects, version, signal)
        // A proxy in between can end each watch immediately.
        if (performance.now() - startedAt < backoff.firstMs) await rest(backoff.firstMs, signal)
      }
    } catch (error) {
      if (signal.aborted) return
      // 410 is expected after a long pause.
      if (!(error instanceof KubernetesError && error.status === 410)) followed.onError(error as Error)
      await rest(Math.min(backoff.firstMs * 2 ** failures++, backoff.maxMs), signal)
    }
  }
}

type ObjectsByName = Map<string, KubernetesObject>

async function relist(followed: Followed, objects: ObjectsByName, signal: AbortSignal): Promise<string> {
  const { client, kind, labels, onChanged, onRemoved, onListed } = followed
  const { items, version } = await client.list(kind, labels)
  signal.throwIfAborted()
  const names = new Set(items.map(({ metadata }) => metadata.name))
  for (const [name, object] of objects) {
    if (names.has(name)) continue
    objects.delete(name)
    onRemoved(object)
  }
  for (const item of items) {
    const before = objects.get(item.metadata.name)
    objects.set(item.metadata.name, item)
    if (before?.metadata.resourceVersion !== item.metadata.resourceVersion) onChanged(item)
  }
  onListed()
  return version
}

/** Runs one watch to its end. @returns the version from which the next one continues. */
async function watchOnce(
  followed: Followed,
  objects: ObjectsByName,
  from: string,
  signal: AbortSignal,
): Promise<string> {
  const { client, kind, labels, onChanged, onRemoved } = followed
  let version = from
  for await (const { type, object } of client.watch(kind, labels, version, signal)) {
    version = object.metadata.resourceVersion ?? version
    if (type === 'BOOKMARK') continue
    if (type === 'DELETED') {
      objects.delete(object.metadata.name)
      onRemoved(object)
    } else {
      objects.set(object.metadata.name, object)
      onChanged(object)
    }
  }
  return version
}

async function rest(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal, ref: false }).catch(() => {})
}
