import { printable } from '#platform/text/printable.ts'
import type { KubernetesClient } from './client.ts'
import { podNameOf } from './objects.ts'

/** What was said when a pod had to go, by whom and when. */
type Eviction = { said: string | undefined; at: string | undefined; node: string | undefined }

/** Why a pod had to go, in words for the owner of its intern. */
export function evicted({ said = '', at, node }: Eviction): string {
  return `its pod was evicted${node ? ` from the node ${node}` : ''}${at ? ` at ${at}` : ''}: ${inPlainWords(said)}`
}

const resources: Record<string, string> = {
  'ephemeral-storage': 'disk',
  inodes: 'room for more files',
  pids: 'room for more processes',
}

/** The sentences of a kubelet; who else evicts has reasons of their own, which are told as they are. */
function inPlainWords(said: string): string {
  const [, limit] = /^Usage of EmptyDir volume "tmp" exceeds the limit "([^"]+)"/.exec(said) ?? []
  if (limit) return `its temporary files (/tmp) took more than ${limit}`
  const [, resource = '', more = ''] = /^The node was low on resource: ([\w.-]+?)\.(.*)$/s.exec(said) ?? []
  if (!resource) return printable(said).trim().replace(/\.$/, '').slice(0, 500) || 'without a reason'
  const [, used] = /Container \S+ was using ([^,]+),/.exec(more) ?? []
  return `the node had too little ${resources[resource] ?? resource} left${used ? `, of which it was using ${used}` : ''}`
}

/**
 * Why its node evicts this very pod, where it does. A node says so at once, but in the state of the pod only when its
 * containers have ended: until then it looks as if the daemon had ended by itself.
 */
export async function evictedByNode(
  client: Pick<KubernetesClient, 'warnings'>,
  intern: string,
  { uid, node }: { uid: string; node: string | undefined },
): Promise<string | undefined> {
  // Who may not ask, as with the Role of an older release, is told less.
  const warnings = await client.warnings(podNameOf(intern)).catch(() => [])
  const told = warnings.find(({ involvedObject, reason }) => involvedObject.uid === uid && reason === 'Evicted')
  return told && evicted({ said: told.message, at: told.lastTimestamp ?? told.eventTime ?? undefined, node })
}
