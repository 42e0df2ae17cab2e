import { startReconciler } from '#platform/async/reconcile.ts'
import type { KubernetesClient } from './client.ts'
import type { Kind, KubernetesObject } from './object.ts'
import { KubernetesError } from './requests.ts'

type FollowOptions = {
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
 * Follows objects of the cluster: lists them, then watches changes. While the API server is unreachable, the last known state
 * remains. When it answers again, or has forgotten the version, the list is read again, and missing objects are reported as
 * removed.
 * @returns a function that stops it.
 */
export function followObjects(options: FollowOptions): () => Promise<void> {
  const objects: ObjectsByName = new Map()
  let version: string | undefined
  const listOrWatch = async (signal: AbortSignal) => {
    if (version === undefined) {
      version = await relist(options, objects, signal)
      return 0
    }
    const from = version
    // After a failure the list is read again.
    version = undefined
    const startedAt = performance.now()
    version = await watchOnce(options, objects, from, signal)
    // A proxy in between can end each watch immediately.
    return performance.now() - startedAt < backoff.firstMs ? backoff.firstMs : 0
  }
  const onError = (error: Error) => {
    // 410 is expected after a long pause.
    if (!(error instanceof KubernetesError && error.status === 410)) options.onError(error)
  }
  return startReconciler(listOrWatch, { firstMs: 0, retryMs: backoff, onError }).stop
}

type ObjectsByName = Map<string, KubernetesObject>

async function relist(options: FollowOptions, objects: ObjectsByName, signal: AbortSignal): Promise<string> {
  const { client, kind, labels, onChanged, onRemoved, onListed } = options
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
  options: FollowOptions,
  objects: ObjectsByName,
  from: string,
  signal: AbortSignal,
): Promise<string> {
  const { client, kind, labels, onChanged, onRemoved } = options
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
