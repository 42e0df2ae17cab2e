import { waitUntil } from '#platform/async/wait-for.ts'
import type { KubernetesClient } from '../client/client.ts'
import type { Kind, KubernetesObject } from '../client/object.ts'
import { filesPodName, internLabel, internSelector, objectName, podName } from '../objects.ts'
import { toPod } from './pod.ts'

type RemovalDeps = { client: KubernetesClient; stopMs: number }
type ObjectKey = [kind: Kind, name: string]

const checkEveryMs = 250

/** Ends the pod of an intern, but no other object. @throws Error that names the object that remains. */
export async function endPod({ client, stopMs }: RemovalDeps, id: string): Promise<void> {
  if (!(await client.get('StatefulSet', objectName(id)))) return
  await client.merge('StatefulSet', objectName(id), { spec: { replicas: 0 } })
  await waitUntilRemoved(client, [['Pod', podName(id)]], stopMs)
}

/** Ends the pod that serves the files of an intern that does not run. @throws Error that names the object that remains. */
export async function endFilesPod({ client, stopMs }: RemovalDeps, id: string): Promise<void> {
  const pod: ObjectKey = ['Pod', filesPodName(id)]
  if (!(await client.get(...pod))) return
  await client.remove(...pod)
  await waitUntilRemoved(client, [pod], stopMs)
}

/** Removes all objects of an intern, its files last. @throws Error that names the objects that remain. */
export async function removeAll({ client, stopMs }: RemovalDeps, id: string): Promise<void> {
  const startedAt = performance.now()
  const name = objectName(id)
  const processObjects: ObjectKey[] = [
    ['StatefulSet', name],
    ['Pod', podName(id)],
    ['Pod', filesPodName(id)],
  ]
  const storedObjects: ObjectKey[] = [
    ['Service', name],
    ['NetworkPolicy', name],
    ['Secret', name],
    ['PersistentVolumeClaim', name],
  ]
  for (const objects of [processObjects, storedObjects]) {
    for (const object of objects) await client.remove(...object)
    await waitUntilRemoved(client, objects, Math.max(0, stopMs - (performance.now() - startedAt)), stopMs)
  }
}

/**
 * Ends the pods of interns that were moved away or deleted. Volumes remain.
 * @param readOwnIds reads the ids of the interns that belong in this Kubernetes cluster. Called after the list of pods, so that an
 * intern that is created in between keeps its pod.
 */
export async function endOrphanedPods(
  { client, warn }: { client: KubernetesClient; warn: (message: string) => void },
  readOwnIds: () => Promise<ReadonlySet<string>>,
): Promise<void> {
  const { items } = await client.list('StatefulSet', internSelector)
  const ids = await readOwnIds()
  for (const { metadata, spec } of items) {
    const id = metadata.labels?.[internLabel] ?? ''
    if (ids.has(id) || spec?.replicas === 0) continue
    warn(
      `The intern ${id} was moved or deleted, but has a pod in this Kubernetes cluster. The pod is ended; its volume remains.`,
    )
    await client.merge('StatefulSet', metadata.name, { spec: { replicas: 0 } })
  }
}

/** @param totalTimeoutMs the time limit in the message, if the wait started before this call. */
async function waitUntilRemoved(
  client: KubernetesClient,
  objects: ObjectKey[],
  timeoutMs: number,
  totalTimeoutMs = timeoutMs,
): Promise<void> {
  let remaining: KubernetesObject[] = []
  const haveBeenRemoved = async () => {
    const found = await Promise.all(objects.map((each) => client.get(...each)))
    remaining = found.filter((object) => object !== undefined)
    return remaining.length === 0
  }
  const areRemoved = await waitUntil(haveBeenRemoved, { timeoutMs: timeoutMs, recheckMs: checkEveryMs })
  if (areRemoved) return
  throw new Error(
    `Not removed after ${totalTimeoutMs / 1000} s: ${remaining.map(describeStuck).join('; ')}. Remove the cause, then retry.`,
  )
}

function describeStuck(object: KubernetesObject): string {
  const { kind, metadata } = object
  const { finalizers = [], deletionTimestamp } = metadata
  const reason = [
    ...(kind === 'Pod' ? [toPod(object).problem] : []),
    deletionTimestamp && `its deletion was requested at ${deletionTimestamp}`,
    finalizers.length > 0 && `held by ${finalizers.join(', ')}`,
  ].filter(Boolean)
  return `${kind} ${metadata.name}${reason.length > 0 ? ` (${reason.join('; ')})` : ''}`
}
