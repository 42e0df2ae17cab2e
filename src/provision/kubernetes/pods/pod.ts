import { printable } from '#platform/text/printable.ts'
import type { KubernetesObject } from '../client/object.ts'
import {
  cloneContainer,
  daemonContainer,
  filesContainer,
  imageAnnotation,
  internLabel,
  settingsAnnotation,
} from '../objects.ts'
import { describeEviction } from './eviction.ts'

/** The state of an intern's pod. */
export type Pod = {
  name: string
  internId: string
  uid: string
  /** The hash of its settings. */
  settingsHash: string
  /** Its image as configured. */
  image: string
  address: string | undefined
  node: string | undefined
  /** Whether its container runs. */
  isRunning: boolean
  /** Whether it has ended by itself. The cluster restarts or replaces the pod of a daemon, but not one that serves files. */
  hasEnded: boolean
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

type Condition = { type: string; status: string; reason?: string; message?: string; lastTransitionTime?: string }
type TerminatedState = { exitCode: number; reason?: string; message?: string }
type Container = {
  name: string
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
  const podStatus = (status ?? {}) as PodStatus
  const container = findOwn(podStatus.containerStatuses)
  const clone = podStatus.initContainerStatuses?.find(({ name }) => name === cloneContainer)
  const lostAt = findLostTime(podStatus, container)
  return {
    name: metadata.name,
    internId: metadata.labels?.[internLabel] ?? '',
    uid: metadata.uid ?? '',
    settingsHash: metadata.annotations?.[settingsAnnotation] ?? '',
    image: metadata.annotations?.[imageAnnotation] ?? readContainerImage(spec),
    address: podStatus.podIP,
    node: readNode(spec),
    isRunning: container?.state?.running !== undefined,
    hasEnded: metadata.deletionTimestamp === undefined && isTerminated(podStatus, container),
    restarts: container?.restartCount ?? 0,
    ...findDefect(object, container, lostAt),
    lastEnd: container?.lastState?.terminated && describeEnd(container.lastState.terminated),
    isCloning: clone?.state?.running !== undefined,
    cloneFailure: findCloneFailure(clone),
    isEnding: metadata.deletionTimestamp !== undefined,
    isLost: lostAt !== undefined,
  }
}

/** The container of this service. Admission controllers can have added containers, and the cluster sorts all of them by name. */
const findOwn = <T extends { name: string }>(containers: T[] = []) =>
  containers.find(({ name }) => name === daemonContainer || name === filesContainer)

/** Whether the container of this service has ended. A container that was added can run longer: then the pod has no final phase. */
const isTerminated = ({ phase = '' }: PodStatus, container: Container | undefined) =>
  ['Succeeded', 'Failed'].includes(phase) || container?.state?.terminated !== undefined

/** Pods of older releases have no annotation. */
const readContainerImage = (spec: object | undefined) =>
  findOwn((spec as { containers?: { name: string; image?: string }[] } | undefined)?.containers)?.image ?? ''

/** The reason of a failed clone: what the container reported, or how it ended if it was killed. */
function findCloneFailure(clone: Container | undefined): string | undefined {
  const termination = clone?.state?.terminated ?? clone?.lastState?.terminated
  if (!termination || termination.exitCode === 0) return undefined
  // The last line of a container that was killed for its memory is about something else.
  const message = termination.reason === 'OOMKilled' ? '' : lastLine(termination.message ?? '')
  return message || `The repository is not cloned: git ended ${describeEnd(termination)}.`
}

const readNode = (spec: object | undefined) => (spec as { nodeName?: string } | undefined)?.nodeName

type PodDefect = Pick<Pod, 'problem' | 'isProblemExplained'>

function findDefect(pod: KubernetesObject, container: Container | undefined, lostAt: string | undefined): PodDefect {
  const node = readNode(pod.spec)
  if (lostAt !== undefined)
    return { problem: `its node ${node} has not reported since ${lostAt}`, isProblemExplained: true }
  const status = (pod.status ?? {}) as PodStatus
  const isEnding = status.phase === 'Failed' || pod.metadata.deletionTimestamp || findDisruption(status)
  if (!isEnding && container?.state?.running) return { problem: undefined, isProblemExplained: false }
  const cause = findCause(pod, container, node)
  const stage = node ? `its container is being created on the node ${node}` : 'its pod waits for a node'
  return { problem: cause ?? stage, isProblemExplained: cause !== undefined }
}

/** Finds the condition that the cluster sets before it ends a pod. A node sets it only after the containers have ended. */
const findDisruption = ({ conditions = [] }: PodStatus) =>
  conditions.find(({ type, status }) => type === 'DisruptionTarget' && status === 'True')

function findCause(
  { metadata, status = {} }: KubernetesObject,
  container: Container | undefined,
  node: string | undefined,
): string | undefined {
  const { phase, reason, message, conditions = [], ...statuses } = status as PodStatus
  const { containerStatuses = [], initContainerStatuses = [] } = statuses
  const disruption = findDisruption(status)
  if (disruption || reason === 'Evicted')
    return describeEviction({ message: message ?? disruption?.message, at: disruption?.lastTransitionTime, node })
  if (metadata.deletionTimestamp) return `its pod is being deleted${node ? ` from the node ${node}` : ''}`
  if (phase === 'Failed')
    return `its pod has failed: ${[reason, message].filter(Boolean).join(': ') || 'without a reason'}`
  const unscheduled = conditions.find((condition) => condition.type === 'PodScheduled' && condition.status === 'False')
  if (unscheduled) return `no node accepts its pod: ${unscheduled.message ?? 'without a reason'}`
  const termination = container?.state?.terminated ?? container?.lastState?.terminated
  if (termination) return `its daemon ended ${describeEnd(termination)}`
  for (const { state } of [...initContainerStatuses, ...containerStatuses]) {
    const { reason: name = '', message: text } = state?.waiting ?? {}
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

/** Returns the last line that can be an error. Lines of JSON and `ready` are the earlier output of the daemon. */
const lastLine = (text: string) => {
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('{') && line !== 'ready')
  return printable((lines.at(-1) ?? '').slice(-maxLineLength))
}

/**
 * The time since which the node of a pod is lost. Then the cluster's node controller sets `Ready` to false and keeps the
 * empty reason. The node itself always sets a reason, such as `ContainersNotReady` for a pod that ends.
 */
function findLostTime({ conditions = [] }: PodStatus, container: Container | undefined): string | undefined {
  const readyCondition = conditions.find(({ type }) => type === 'Ready')
  const isLost = readyCondition?.status === 'False' && !readyCondition.reason
  return isLost && container?.state?.running ? readyCondition.lastTransitionTime : undefined
}
