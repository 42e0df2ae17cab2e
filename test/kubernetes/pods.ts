import { until } from '#test/harness/until.ts'
import type { Cluster } from './cluster/cluster.ts'
import type { PodServer } from './service.ts'
import { patientMs } from './timed.ts'

const namespace = ['--namespace', 'signalbox-interns']

type Pod = {
  metadata: { name: string; uid: string; deletionTimestamp?: string }
  spec: { containers: { image: string }[] }
  status: { phase: string; podIP: string }
}

/** The objects of a kind that an intern has, or those of all interns. */
export async function objectsOf<T = any>({ plane }: Cluster, kind: string, id?: string): Promise<T[]> {
  const selector = `app.kubernetes.io/name=signalbox-intern${id ? `,signalbox.dev/intern=${id}` : ''}`
  return JSON.parse(await plane.kubectl(['get', kind, ...namespace, '--selector', selector, '--output', 'json'])).items
}

export async function podOf(cluster: Cluster, id: string): Promise<Pod> {
  const [pod] = await objectsOf<Pod>(cluster, 'pod', id)
  if (!pod) throw new Error(`The intern ${id} has no pod.`)
  return pod
}

/** Deletes its pod, as an administrator would. */
export const deletePod = ({ plane }: Cluster, { metadata }: Pod) =>
  plane.kubectl(['delete', 'pod', ...namespace, metadata.name])

/** Runs a command in the intern's pod. */
export const inPod = ({ plane }: Cluster, { metadata }: Pod, ...command: string[]) =>
  plane.kubectl(['exec', ...namespace, metadata.name, '--', ...command])

/** Resolves when the intern runs in another pod than this one. */
export function untilReplaced(cluster: Cluster, server: PodServer, id: string, before: Pod): Promise<Pod> {
  return until(async () => {
    const [pod] = await objectsOf<Pod>(cluster, 'pod', id)
    if (!pod || pod.metadata.uid === before.metadata.uid) return undefined
    const { body } = await server.ask('GET', `/interns/${id}`)
    return body.status === 'running' ? pod : undefined
  }, patientMs)
}
