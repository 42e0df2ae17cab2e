import { randomInt } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { KubernetesObject } from '#provision/kubernetes/client/object.ts'
import { cloneAsInPod, runInPod, serveFilesInPod } from './pod-daemon.ts'
import { type ScriptedApiServer, startScriptedApiServer } from './scripted-api-server.ts'
import type { ScriptedObjects } from './scripted-objects.ts'

/** A process in a pod. */
type PodProcess = { stop: () => Promise<void> }

export type ScriptedCluster = AsyncDisposable & {
  server: ScriptedApiServer
  objects: ScriptedObjects
  /** The folders of a pod's volume and its Secret, which outlive it. */
  foldersOf: (name: string) => { home: string; configured: string }
  /** How pods start from now on: normally, or permanently with this status. */
  setPodStart: (how: 'well' | Record<string, unknown>) => void
  /** The processes in the pods stop answering, and the cluster does not notice. */
  stopResponding: () => Promise<void>
  /** The node disappears without a notice: its processes do not answer, and the cluster notices. */
  loseNode: () => Promise<void>
  /** The cluster receives no updates from the node for a time, although everything continues on it. */
  loseContact: () => void
}

const kubelet = 'scripted/kubelet'
const since = '2030-01-02T03:04:05Z'

/**
 * A cluster of one node behind a scripted API server. It creates the pod of a StatefulSet, runs the daemon of an intern
 * for it (or the process that serves its files) at a separate address, keeps the files of its Secret up to date, and
 * ends it.
 */
export async function startScriptedCluster(): Promise<ScriptedCluster> {
  const server = await startScriptedApiServer()
  const { objects } = server
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-pods-'))
  const running = new Map<string, PodProcess>()
  let podStart: 'well' | Record<string, unknown> = 'well'
  let isLost = false
  const foldersOf = (name: string) => ({ home: join(folder, name, 'home'), configured: join(folder, name, 'etc') })

  const setStatus = (pod: KubernetesObject, status: Record<string, unknown>) => {
    const current = objects.find('Pod', pod.metadata.name)
    if (current && current.metadata.uid === pod.metadata.uid) objects.put({ ...current, status })
  }
  function writeSecret(name: string): void {
    const { home, configured } = foldersOf(name)
    for (const folder of [home, configured]) mkdirSync(folder, { recursive: true })
    for (const [file, text] of Object.entries(objects.find('Secret', name)?.data ?? {}))
      writeFileSync(join(configured, file), Buffer.from(text, 'base64'))
  }
  async function startPod(pod: KubernetesObject): Promise<void> {
    if (podStart !== 'well') return setStatus(pod, podStart)
    const set = pod.metadata.name.replace(/-(0|files)$/, '')
    writeSecret(set)
    if ((pod.spec as { initContainers?: object[] }).initContainers) {
      const message = await cloneAsInPod(foldersOf(set))
      const terminated = { exitCode: 1, reason: 'Error', message }
      if (message)
        return setStatus(pod, { phase: 'Pending', initContainerStatuses: [{ name: 'clone', state: { terminated } }] })
    }
    const podIP = `127.${randomInt(1, 255)}.${randomInt(1, 255)}.${randomInt(1, 255)}`
    const run = pod.metadata.name.endsWith('-files') ? serveFilesInPod : runInPod
    running.set(pod.metadata.uid!, await run(foldersOf(set), podIP))
    setStatus(pod, statusOf(pod, podIP, 'True'))
  }
  async function endPod(pod: KubernetesObject): Promise<void> {
    if (isLost) return
    const process = running.get(pod.metadata.uid!)
    running.delete(pod.metadata.uid!)
    await process?.stop()
    objects.put({ ...pod, metadata: { ...pod.metadata, finalizers: [] } })
  }

  async function stopResponding(): Promise<void> {
    for (const process of running.values()) await process.stop()
    running.clear()
  }

  /** Creates one pod from the template of a set that requires one. */
  function reconcile(name: string): void {
    const set = objects.find('StatefulSet', name)
    const pod = objects.find('Pod', `${name}-0`)
    const { replicas, template } = (set?.spec ?? {}) as { replicas?: number; template?: any }
    const needsPod = replicas === 1 && !set?.metadata.deletionTimestamp
    const isCurrent = JSON.stringify(pod?.metadata.annotations) === JSON.stringify(template?.metadata.annotations)
    if (pod && !pod.metadata.deletionTimestamp && (!needsPod || !isCurrent)) objects.remove('Pod', pod.metadata.name)
    if (pod || !needsPod) return
    const metadata = { ...template.metadata, name: `${name}-0`, finalizers: [kubelet] }
    objects.put({ kind: 'Pod', metadata, spec: { ...template.spec, nodeName: 'node-1' } })
  }

  objects.subscribe(0, ({ type, object }) => {
    const { kind, metadata } = object
    // The cluster reacts to a change a little later.
    setImmediate(() => {
      if (kind === 'StatefulSet') reconcile(metadata.name)
      if (kind === 'Secret' && type === 'MODIFIED') writeSecret(metadata.name)
      if (kind !== 'Pod') return
      if (type === 'ADDED') void startPod(object)
      else if (type === 'DELETED') {
        void running.get(metadata.uid!)?.stop()
        running.delete(metadata.uid!)
        reconcile(metadata.name.replace(/-0$/, ''))
      } else if (metadata.deletionTimestamp && metadata.finalizers?.includes(kubelet)) void endPod(object)
    })
  })
  const loseContact = () => {
    for (const pod of objects.list('Pod', ''))
      setStatus(pod, statusOf(pod, (pod.status as { podIP: string }).podIP, 'False'))
  }
  return {
    server,
    objects,
    foldersOf,
    loseContact,
    setPodStart: (nextStart) => {
      podStart = nextStart
    },
    stopResponding,
    async loseNode() {
      isLost = true
      await stopResponding()
      loseContact()
    },
    async [Symbol.asyncDispose]() {
      await stopResponding()
      await server[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const statusOf = ({ spec }: KubernetesObject, podIP: string, ready: 'True' | 'False') => {
  const { containers } = spec as { containers: { name: string }[] }
  return {
    phase: 'Running',
    podIP,
    conditions: [{ type: 'Ready', status: ready, lastTransitionTime: since }],
    containerStatuses: containers.map(({ name }) => ({ name, restartCount: 0, state: { running: {} } })),
  }
}
