import { printable } from '#lib/printable.ts'
import type { KubernetesObject } from './object.ts'
import { internLabel, settingsAnnotation } from './objects.ts'

/** The pod of an intern, as far as we want to know. */
export type Pod = {
  name: string
  intern: string
  uid: string
  /** By which settings it was made, and of which image. */
  settings: string
  image: string
  address: string | undefined
  node: string | undefined
  /** Whether its container runs, and how often it was begun anew. */
  isRunning: boolean
  restarts: number
  /** Why it does not run, or is no good any more, in words. */
  why: string | undefined
  /** Its end has been asked for. */
  isEnding: boolean
  /** Its node is not heard of. */
  isLost: boolean
}

type Condition = { type: string; status: string; message?: string; lastTransitionTime?: string }
type Ended = { exitCode: number; reason?: string; message?: string }
type Container = {
  restartCount?: number
  state?: { waiting?: { reason?: string; message?: string }; running?: object; terminated?: Ended }
  lastState?: { terminated?: Ended }
}
type PodStatus = {
  phase?: string
  reason?: string
  message?: string
  podIP?: string
  conditions?: Condition[]
  containerStatuses?: Container[]
}

export function podOf({ metadata, spec, status }: KubernetesObject): Pod {
  const { podIP, containerStatuses: [container] = [] } = (status ?? {}) as PodStatus
  const { containers = [] } = (spec ?? {}) as { containers?: { image?: string }[] }
  const lost = lostSince({ metadata, status } as KubernetesObject)
  return {
    name: metadata.name,
    intern: metadata.labels?.[internLabel] ?? '',
    uid: metadata.uid ?? '',
    settings: metadata.annotations?.[settingsAnnotation] ?? '',
    image: containers[0]?.image ?? '',
    address: podIP,
    node: nodeOf(spec),
    isRunning: container?.state?.running !== undefined,
    restarts: container?.restartCount ?? 0,
    why: whyUnfit({ metadata, spec, status } as KubernetesObject, lost),
    isEnding: metadata.deletionTimestamp !== undefined,
    isLost: lost !== undefined,
  }
}

const nodeOf = (spec: object | undefined) => (spec as { nodeName?: string } | undefined)?.nodeName

function whyUnfit({ metadata, spec, status }: KubernetesObject, lost: string | undefined): string | undefined {
  const { phase, reason, message, conditions = [], containerStatuses: [container] = [] } = (status ?? {}) as PodStatus
  const node = nodeOf(spec)
  if (lost !== undefined) return `its node ${node} has not been heard of since ${lost}`
  if (metadata.deletionTimestamp) return `its pod is being deleted${node ? ` from the node ${node}` : ''}`
  if (phase === 'Failed')
    return `its pod has failed: ${[reason, message].filter(Boolean).join(': ') || 'without a reason'}`
  if (container?.state?.running) return undefined
  const unscheduled = conditions.find(({ type, status: is }) => type === 'PodScheduled' && is === 'False')
  if (unscheduled) return `no node takes its pod: ${unscheduled.message ?? 'without a reason'}`
  const ended = container?.state?.terminated ?? container?.lastState?.terminated
  if (ended) return `its daemon ended ${endOf(ended)}`
  const { waiting } = container?.state ?? {}
  if (waiting?.message) return `its container waits: ${waiting.reason}: ${waiting.message}`
  return node ? `its container is being made on the node ${node}` : 'its pod waits for a node'
}

function endOf({ exitCode, reason, message }: Ended): string {
  const said = lastLine(message ?? '')
  return [`with code ${exitCode}`, reason && reason !== 'Error' ? `(${reason})` : '', said ? `: ${said}` : '']
    .filter(Boolean)
    .join(' ')
    .replace(' :', ':')
}

/** Its last word: lines of JSON are its log, and say what it did before. */
const lastLine = (text: string) => {
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('{'))
  return printable((lines.at(-1) ?? '').slice(-500))
}

/**
 * Since when the node of a pod is gone. Nobody but the cluster's watch on nodes says of a running container without a
 * probe that it is not ready; the node itself says so, too, but only of a pod that it is about to end.
 */
function lostSince({ metadata, status }: KubernetesObject): string | undefined {
  const { conditions = [], containerStatuses: [container] = [] } = (status ?? {}) as PodStatus
  const ready = conditions.find(({ type }) => type === 'Ready')
  if (ready?.status !== 'False' || !container?.state?.running || !ready.lastTransitionTime) return undefined
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = metadata as typeof metadata & {
    deletionGracePeriodSeconds?: number
  }
  const told = Date.parse(ready.lastTransitionTime)
  const endsAt = deletionTimestamp ? Date.parse(deletionTimestamp) : Infinity
  const isEnding = told >= endsAt - deletionGracePeriodSeconds * 1000 && told <= endsAt
  return isEnding ? undefined : ready.lastTransitionTime
}
