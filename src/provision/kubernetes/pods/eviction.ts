import { printable } from '#platform/text/printable.ts'
import type { KubernetesClient } from '../client/client.ts'
import { podName } from '../objects.ts'

/** The eviction of a pod: the message of the cluster, the time and the node. */
type Eviction = { message: string | undefined; at: string | undefined; node: string | undefined }

/** The reason for an eviction, written for the intern's owner. */
export function describeEviction({ message = '', at, node }: Eviction): string {
  return `its pod was evicted${node ? ` from the node ${node}` : ''}${at ? ` at ${at}` : ''}: ${explainMessage(message)}`
}

const resources: Record<string, string> = {
  'ephemeral-storage': 'disk',
  inodes: 'room for more files',
  pids: 'room for more processes',
}

const maxMessageLength = 500

/** Translates the messages of a kubelet; other messages are returned unchanged. */
function explainMessage(message: string): string {
  const [, limit] = /^Usage of EmptyDir volume "tmp" exceeds the limit "([^"]+)"/.exec(message) ?? []
  if (limit) return `its temporary files (/tmp) took more than ${limit}`
  const [, resource = '', details = ''] = /^The node was low on resource: ([\w.-]+?)\.(.*)$/s.exec(message) ?? []
  if (!resource) return printable(message).trim().replace(/\.$/, '').slice(0, maxMessageLength) || 'without a reason'
  const [, usedAmount] = /Container \S+ was using ([^,]+),/.exec(details) ?? []
  return `the node had too little ${resources[resource] ?? resource} left${usedAmount ? `, of which it was using ${usedAmount}` : ''}`
}

/**
 * Returns the reason for the eviction of a pod; undefined if its node does not evict it. The node reports an eviction immediately as
 * an event. The state of the pod has it only after the containers have ended; until then the daemon seems to have exited by itself.
 * @throws KubernetesError if the events cannot be read.
 */
export async function findEviction(
  client: Pick<KubernetesClient, 'warnings'>,
  internId: string,
  { uid, node }: { uid: string; node: string | undefined },
): Promise<string | undefined> {
  const warnings = await client.warnings(podName(internId))
  const warning = warnings.find(({ involvedObject, reason }) => involvedObject.uid === uid && reason === 'Evicted')
  return (
    warning &&
    describeEviction({ message: warning.message, at: warning.lastTimestamp ?? warning.eventTime ?? undefined, node })
  )
}
