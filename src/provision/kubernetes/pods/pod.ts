import { printable } from '#platform/text/printable.ts'
import type { KubernetesObject } from '../client/object.ts'
import { internLabel, settingsAnnotation } from '../objects.ts'
import { describeEviction } from './eviction.ts'

/** The state of an intern's pod. */
export type Pod = {
  name: string
  internId: string
  uid: string
  /** The hash of its settings. */
  settingsHash: string
  image: string
  address: string | undefined
  node: string | undefined
  /** Whether its container runs. */
  isRunning: boolean
  /** How often its container was restarted. */
  restarts: number
  /** Why it does not run or must be replaced. */
  problem: string | undefined
  /** Whether `problem` is the cause, and not only the stage of its start, such as waiting for a node. */
  isProblemExplained: boolean
  /** How its daemon ended before the last restart. */
  lastEnd: string | undefined
  /** Whether its repository is being cloned. */
  isCloning: boolean
  /** Why the clone of its repository failed. */
  cloneFailure: string | undefined
  /** Whether its deletion was requested. */
  isEnding: boolean
  /** Whether the cluster reports its node as lost. */
  isLost: boolean
}

type Condition = { type: string; status: string; message?: string; lastTransitionTime?: string }
type TerminatedState = { exitCode: number; reason?: string; message?: string }
type Container = {
  restartCount?: number
  state?: { waiting?: { reason?: string; message?: string }; running?: object; terminated?: TerminatedState }
  lastState?: { terminated?: TerminatedState }
}
type PodStatus = {
  phase?: string
  reason?: string
  message?: string
  podIP?: string
  conditions?: Condition[]
  containerStatuses?: Container[]
  initContainerStatuses?: Container[]
}

export function toPod(object: KubernetesObject): Pod {
  const { metadata, spec, status } = object
  const {
    podIP,
    containerStatuses: [container] = [],
    initContainerStatuses: [clone] = [],
  } = (status ?? {}) as PodStatus
  const { containers = [] } = (spec ?? {}) as { containers?: { image?: string }[] }
  const lostAt = findLostTime(object)
  return {
    name: metadata.name,
    internId: metadata.labels?.[internLabel] ?? '',
    uid: metadata.uid ?? '',
    settingsHash: metadata.annotations?.[settingsAnnotation] ?? '',
    image: containers[0]?.image ?? '',
    address: podIP,
    node: readNode(spec),
    isRunning: container?.state?.running !== undefined,
    restarts: container?.restartCount ?? 0,
    ...findDefect(object, lostAt),
    lastEnd: container?.lastState?.terminated && describeEnd(container.lastState.terminated),
    isCloning: clone?.state?.running !== undefined,
    cloneFailure: findCloneFailure(clone),
    isEnding: metadata.deletionTimestamp !== undefined,
    isLost: lostAt !== undefined,
  }
}

/** The reason of a failed clone. The container reports it, unless it was killed. */
function findCloneFailure(clone: Container | undefined): string | undefined {
  const termination = clone?.state?.terminated ?? clone?.lastState?.terminated
  if (!termination || termination.exitCode === 0) return undefined
  // The last line of a container that was killed for its memory is about something else.
  const message = termination.reason === 'OOMKilled' ? '' : lastLine(termination.message ?? '')
  return message || `The repository is not cloned: git ended ${describeEnd(termination)}.`
}

const readNode = (spec: object | undefined) => (spec as { nodeName?: string } | undefined)?.nodeName

type PodDefect = Pick<Pod, 'problem' | 'isProblemExplained'>

function findDefect(pod: KubernetesObject, lostAt: string | undefined): PodDefect {
  const node = readNode(pod.spec)
  if (lostAt !== undefined)
    return { problem: `its node ${node} has not reported since ${lostAt}`, isProblemExplained: true }
  const { phase, containerStatuses: [container] = [] } = (pod.status ?? {}) as PodStatus
  const isEnding = phase === 'Failed' || pod.metadata.deletionTimestamp || findDisruption(pod.status ?? {})
  if (!isEnding && container?.state?.running) return { problem: undefined, isProblemExplained: false }
  const cause = findCause(pod, node)
  const stage = node ? `its container is being created on the node ${node}` : 'its pod waits for a node'
  return { problem: cause ?? stage, isProblemExplained: cause !== undefined }
}

/** Finds the condition that the cluster sets before it ends a pod. A node sets it only after the containers have ended. */
const findDisruption = ({ conditions = [] }: PodStatus) =>
  conditions.find(({ type, status }) => type === 'DisruptionTarget' && status === 'True')

function findCause({ metadata, status }: KubernetesObject, node: string | undefined): string | undefined {
  const { phase, reason, message, conditions = [], ...containers } = (status ?? {}) as PodStatus
  const { containerStatuses: [container] = [], initContainerStatuses: [clone] = [] } = containers
  const disruption = findDisruption(status ?? {})
  if (disruption || reason === 'Evicted')
    return describeEviction({ message: message ?? disruption?.message, at: disruption?.lastTransitionTime, node })
  if (metadata.deletionTimestamp) return `its pod is being deleted${node ? ` from the node ${node}` : ''}`
  if (phase === 'Failed')
    return `its pod has failed: ${[reason, message].filter(Boolean).join(': ') || 'without a reason'}`
  const unscheduled = conditions.find((condition) => condition.type === 'PodScheduled' && condition.status === 'False')
  if (unscheduled) return `no node accepts its pod: ${unscheduled.message ?? 'without a reason'}`
  const termination = container?.state?.terminated ?? container?.lastState?.terminated
  if (termination) return `its daemon ended ${describeEnd(termination)}`
  for (const waiting of [clone?.state?.waiting, container?.state?.waiting]) {
    const { reason: name = '', message: text } = waiting ?? {}
    if (text) return `${waitDescriptions[name] ?? 'its container waits'}: ${name}: ${text}`
  }
  return undefined
}

/** Descriptions of the cluster's names for reasons to wait. */
const waitDescriptions: Record<string, string> = {
  ErrImagePull: 'its image cannot be pulled',
  ImagePullBackOff: 'its image cannot be pulled',
  ErrImageNeverPull: 'its image cannot be pulled',
  InvalidImageName: 'its image cannot be pulled',
  CreateContainerConfigError: 'its container cannot be created',
  CreateContainerError: 'its container cannot be created',
  RunContainerError: 'its container cannot be started',
}

function describeEnd({ exitCode, reason, message }: TerminatedState): string {
  if (reason === 'OOMKilled')
    return `with code ${exitCode} (OOMKilled): it used more memory than allowed (setting "intern_memory_bytes")`
  const line = lastLine(message ?? '')
  const reasonNote = reason && reason !== 'Error' ? ` (${reason})` : ''
  return `with code ${exitCode}${reasonNote}${line && `: ${line}`}`
}

const maxLineLength = 500

/** Returns the last line that is not JSON. Lines of JSON are the earlier log of the daemon. */
const lastLine = (text: string) => {
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('{'))
  return printable((lines.at(-1) ?? '').slice(-maxLineLength))
}

/**
 * The time since which the node of a pod is lost. For a running container without a probe only the cluster's node controller
 * sets `Ready` to false. The node itself does so only for a pod that it is about to end.
 */
function findLostTime({ metadata, status }: KubernetesObject): string | undefined {
  const { conditions = [], containerStatuses: [container] = [] } = (status ?? {}) as PodStatus
  const readyCondition = conditions.find(({ type }) => type === 'Ready')
  if (readyCondition?.status !== 'False' || !container?.state?.running || !readyCondition.lastTransitionTime)
    return undefined
  const { deletionTimestamp, deletionGracePeriodSeconds = 0 } = metadata as typeof metadata & {
    deletionGracePeriodSeconds?: number
  }
  const changedAt = Date.parse(readyCondition.lastTransitionTime)
  const endsAt = deletionTimestamp ? Date.parse(deletionTimestamp) : Infinity
  const isEnding = changedAt >= endsAt - deletionGracePeriodSeconds * 1000 && changedAt <= endsAt
  return isEnding ? undefined : readyCondition.lastTransitionTime
}
