import { waitFor } from '#platform/async/wait-for.ts'
import type { KubernetesClient } from './client.ts'
import type { Kind, KubernetesObject } from './object.ts'
import { filesPodNameOf, internLabel, nameOf, ownLabels, podNameOf } from './objects.ts'
import { podOf } from './pod.ts'

type RemovalDeps = { client: KubernetesClient; stopMs: number }
type Named = [kind: Kind, name: string]

const checkEveryMs = 250

/** Ends the pod of an intern, but no other object. @throws Error that names the object that remains. */
export async function endPod({ client, stopMs }: RemovalDeps, id: string): Promise<void> {
  if (!(await client.get('StatefulSet', nameOf(id)))) return
  await client.merge('StatefulSet', nameOf(id), { spec: { replicas: 0 } })
  await waitUntilRemoved(client, [['Pod', podNameOf(id)]], stopMs)
}

/** Ends the pod that serves the files of an intern that does not run. @throws Error that names the object that remains. */
export async function endFilesPod({ client, stopMs }: RemovalDeps, id: string): Promise<void> {
  const pod: Named = ['Pod', filesPodNameOf(id)]
  if (!(await client.get(...pod))) return
  await client.remove(...pod)
  await waitUntilRemoved(client, [pod], stopMs)
}

/** Removes all objects of an intern, its files last. @throws Error that names the objects that remain. */
export async function removeAll({ client, stopMs }: RemovalDeps, id: string): Promise<void> {
  const since = performance.now()
  const name = nameOf(id)
  const running: Named[] = [
    ['StatefulSet', name],
    ['Pod', podNameOf(id)],
    ['Pod', filesPodNameOf(id)],
  ]
  const rest: Named[] = [
    ['Service', name],
    ['NetworkPolicy', name],
    ['Secret', name],
    ['PersistentVolumeClaim', name],
  ]
  for (const all of [running, rest]) {
    for (const each of all) await client.remove(...each)
    await waitUntilRemoved(client, all, Math.max(0, stopMs - (performance.now() - since)), stopMs)
  }
}

/** Ends the pods of other interns. `idsHere` is called after the running pods were listed. Volumes remain. */
export async function endForeignDaemons(
  { client, warn }: { client: KubernetesClient; warn: (message: string) => void },
  idsHere: () => Promise<ReadonlySet<string>>,
): Promise<void> {
  const { items } = await client.list('StatefulSet', ownLabels)
  const ids = await idsHere()
  for (const { metadata, spec } of items) {
    const id = metadata.labels?.[internLabel] ?? ''
    if (ids.has(id) || spec?.replicas === 0) continue
    warn(`The intern ${id} is not in this cluster any more: its pod is ended, its volume remains.`)
    await client.merge('StatefulSet', metadata.name, { spec: { replicas: 0 } })
  }
}

async function waitUntilRemoved(
  client: KubernetesClient,
  all: Named[],
  withinMs: number,
  reportedMs = withinMs,
): Promise<void> {
  let remaining: KubernetesObject[] = []
  const haveBeenRemoved = async () => {
    const found = await Promise.all(all.map((each) => client.get(...each)))
    remaining = found.filter((object) => object !== undefined)
    return remaining.length === 0 ? true : undefined
  }
  if (await waitFor(haveBeenRemoved, { timeoutMs: withinMs, recheckMs: checkEveryMs })) return
  throw new Error(
    `Not removed after ${reportedMs / 1000} s: ${remaining.map(describeStuck).join('; ')}. Remove the cause, then retry.`,
  )
}

function describeStuck(object: KubernetesObject): string {
  const { kind, metadata } = object
  const { finalizers = [], deletionTimestamp } = metadata
  const reason = [
    ...(kind === 'Pod' ? [podOf(object).problem] : []),
    deletionTimestamp && `its deletion was requested at ${deletionTimestamp}`,
    finalizers.length > 0 && `held by ${finalizers.join(', ')}`,
  ].filter(Boolean)
  return `${kind} ${metadata.name}${reason.length > 0 ? ` (${reason.join('; ')})` : ''}`
}
