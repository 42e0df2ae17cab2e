import { hash } from 'node:crypto'
import type { Config } from '#platform/config/settings.ts'
import type { KubernetesObject } from './client/object.ts'
import { createNetworkPolicy } from './network-policy.ts'

/** The port of the daemon in its pod. */
export const daemonPort = 7420
/** The names of the containers. Admission controllers of a cluster can add others. */
export const daemonContainer = 'daemon'
export const filesContainer = 'files'
export const cloneContainer = 'clone'
/** The labels of all objects of interns, and the label with the intern's id. */
const internNameLabel = { 'app.kubernetes.io/name': 'signalbox-intern' }
export const internLabel = 'signalbox.dev/intern'
export const internSelector = Object.entries(internNameLabel)
  .map((pair) => pair.join('='))
  .join(',')
/** The annotation of a pod with the hash of its settings. */
export const settingsAnnotation = 'signalbox.dev/settings'
/** The annotation of a pod with its image as configured. Admission controllers can replace it by a mirror or a digest. */
export const imageAnnotation = 'signalbox.dev/image'
const settingsHashLength = 32

export const objectName = (internId: string) => `intern-${internId}`
/** The name of the pod that serves the files of an intern that does not run. Its labels keep it out of lists of interns' pods. */
export const filesPodName = (internId: string) => `${objectName(internId)}-files`
const filesLabels = { 'app.kubernetes.io/name': 'signalbox-intern-files' }
export const podName = (internId: string) => `${objectName(internId)}-0`

/** Paths in the pod of an intern. The image is that of the service (`Containerfile`). */
const installFolder = '/signalbox'
const home = '/home/intern'
const configFolder = '/etc/intern'
/** The folder with the input of the clone and the credential. Only the container that clones has it. */
const cloneFolder = '/etc/intern-repository'
const repositoryFile = 'repository.json'
export const podPaths = {
  home,
  node: 'node',
  builtin: `${installFolder}/bin/agent.ts`,
  workspace: `${home}/workspace`,
  daemonState: `${home}/state`,
  state: `${home}/state/agent`,
  compileCache: `${home}/state/compiled`,
  instructions: `${configFolder}/instructions.md`,
  baseUrlFile: `${configFolder}/service-url`,
  gitConfig: `${configFolder}/gitconfig`,
  caFile: `${configFolder}/trusted.pem`,
} as const
/** The user of all pods. It is neither a system user nor a user of interns on hosts. */
const podUser = 10_001

/** The files of an intern in its Secret. A running daemon reloads the rotated ones. */
export type InternFiles = {
  lasting: Record<string, string>
  rotated: Record<string, string>
  /** The input of the clone, if it has a repository. The daemon does not get this file, because the intern could read it. */
  repository: string | undefined
}

type ObjectsDeps = { config: Config; image: string; serviceUrl: string }

/** The objects of one intern, in the order of creation. */
export function createObjects({ config, image, serviceUrl }: ObjectsDeps, id: string, files: InternFiles) {
  const name = objectName(id)
  const labels = { ...internNameLabel, [internLabel]: id }
  const metadata = { name, labels }
  const selector = { [internLabel]: id }
  const pod = createPodSpec(config, image, name, files)
  const settingsHash = hash('sha256', JSON.stringify([pod, files.lasting, files.repository]), 'hex').slice(
    0,
    settingsHashLength,
  )
  const annotations = { [settingsAnnotation]: settingsHash, [imageAnnotation]: image }
  // Always present, because apply does not remove old keys from a Secret.
  const repository = { [repositoryFile]: files.repository ?? '' }
  const secret = {
    kind: 'Secret',
    metadata,
    stringData: { ...files.lasting, ...files.rotated, ...repository },
  } as const
  const volume = { kind: 'PersistentVolumeClaim', metadata, spec: createVolumeSpec(config) } as const
  const service = {
    kind: 'Service',
    metadata,
    spec: { clusterIP: 'None', selector, ports: [{ name: 'daemon', port: daemonPort }] },
  } as const
  const policy: KubernetesObject = {
    kind: 'NetworkPolicy',
    metadata,
    spec: createNetworkPolicy({ config, selector, daemonPort, serviceUrl }),
  }
  const set = {
    kind: 'StatefulSet',
    metadata,
    spec: {
      replicas: 1,
      serviceName: name,
      selector: { matchLabels: selector },
      // `Parallel` also replaces a pod that never started when the template changes.
      podManagementPolicy: 'Parallel',
      revisionHistoryLimit: 1,
      template: { metadata: { labels, annotations }, spec: pod },
    },
  } as const
  return { settingsHash, secret, volume, others: [service, policy, set] satisfies KubernetesObject[] }
}

function createVolumeSpec({ kubernetes_storage_class: storageClassName, kubernetes_storage: storage }: Config) {
  return {
    accessModes: ['ReadWriteOnce'],
    resources: { requests: { storage } },
    storageClassName,
  }
}

/** A pod that conforms to Pod Security's level `restricted`. It is the sandbox of the intern. */
function createPodSpec(config: Config, image: string, name: string, files: InternFiles) {
  const { kubernetes_runtime_class: runtimeClassName, kubernetes_image_pull_secret: pullSecret } = config
  return {
    runtimeClassName,
    ...(pullSecret !== undefined && { imagePullSecrets: [{ name: pullSecret }] }),
    // The intern gets no credential for the cluster, and no variables with the addresses of other services.
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    // The pause process is then process 1 and reaps orphans. Node as process 1 would not.
    shareProcessNamespace: true,
    // The daemon ends its agent in less time.
    terminationGracePeriodSeconds: 10,
    securityContext: {
      runAsNonRoot: true,
      runAsUser: podUser,
      runAsGroup: podUser,
      fsGroup: podUser,
      // Otherwise each start would change the group of every file in the volume.
      fsGroupChangePolicy: 'OnRootMismatch',
      seccompProfile: { type: 'RuntimeDefault' },
    },
    ...(files.repository !== undefined && { initContainers: [createCloneContainer(config, image)] }),
    containers: [
      {
        ...createContainer(config, image),
        name: daemonContainer,
        command: ['node', `${installFolder}/bin/daemon.ts`, `${configFolder}/settings.json`],
        env: toVariables({ HOME: home, TMPDIR: '/tmp', NODE_COMPILE_CACHE: podPaths.compileCache }),
        ports: [{ name: 'daemon', containerPort: daemonPort }],
        // No probe: it would have no client certificate. Servers check the daemon themselves.
        volumeMounts: [
          { name: 'home', mountPath: home },
          { name: 'tmp', mountPath: '/tmp' },
          { name: 'configured', mountPath: configFolder, readOnly: true },
        ],
      },
    ],
    volumes: [
      { name: 'home', persistentVolumeClaim: { claimName: name } },
      { name: 'tmp', emptyDir: { sizeLimit: '1Gi' } },
      createSecretVolume('configured', name, Object.keys({ ...files.lasting, ...files.rotated })),
      ...(files.repository !== undefined ? [createSecretVolume('repository', name, [repositoryFile])] : []),
    ],
  }
}

/**
 * A pod that serves the files in the volume of an intern and runs nothing of the intern. The same network policy applies to it.
 * @param secretFiles the names of the files in the Secret.
 */
export function createFilesPod({ config, image }: Omit<ObjectsDeps, 'serviceUrl'>, id: string, secretFiles: string[]) {
  const mountedFiles = secretFiles.filter((file) => file !== repositoryFile)
  // The pod only needs the names of the files: their contents are in the Secret.
  const lasting = Object.fromEntries(mountedFiles.map((file) => [file, '']))
  const pod = createPodSpec(config, image, objectName(id), { lasting, rotated: {}, repository: undefined })
  const [daemon] = pod.containers
  const command = ['node', `${installFolder}/bin/files-in-pod.ts`, `${configFolder}/settings.json`]
  return {
    kind: 'Pod',
    metadata: { name: filesPodName(id), labels: { ...filesLabels, [internLabel]: id } },
    spec: {
      ...pod,
      restartPolicy: 'Never',
      // Ends the pod even if it hangs.
      activeDeadlineSeconds: 3600,
      terminationGracePeriodSeconds: 1,
      // Without the cache of compiled code, which the intern could have written.
      containers: [{ ...daemon, name: filesContainer, command, env: toVariables({ HOME: home, TMPDIR: '/tmp' }) }],
    },
  } as const
}

const toVariables = (variables: Record<string, string>) =>
  Object.entries(variables).map(([name, value]) => ({ name, value }))

/** The common part of all containers. */
function createContainer(config: Config, image: string) {
  return {
    image,
    workingDir: home,
    securityContext: {
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    },
    resources: createResources(config),
    // The state of the pod then has the last lines of the log, from which the reason of a failure is read.
    terminationMessagePolicy: 'FallbackToLogsOnError',
  }
}

/**
 * The container that clones the repository. It has the credential, and ends before the daemon starts. It must not run code
 * from the volume, which the intern can write, so it does not use the cache of compiled code.
 */
function createCloneContainer(config: Config, image: string) {
  return {
    ...createContainer(config, image),
    name: cloneContainer,
    command: ['node', `${installFolder}/bin/clone.ts`, `${cloneFolder}/${repositoryFile}`],
    env: [{ name: 'HOME', value: '/tmp' }],
    volumeMounts: [
      { name: 'home', mountPath: home },
      { name: 'tmp', mountPath: '/tmp' },
      { name: 'repository', mountPath: cloneFolder, readOnly: true },
    ],
  }
}

/** A volume with these files of the intern's Secret only. */
function createSecretVolume(name: string, secretName: string, files: string[]) {
  const items = files.toSorted().map((file) => ({ key: file, path: file }))
  return { name, secret: { secretName, defaultMode: 0o440, items } }
}

function createResources(config: Config) {
  const memory = config.intern_memory_bytes
  return {
    requests: { cpu: config.kubernetes_cpu_request, memory: config.kubernetes_memory_request },
    limits: { cpu: config.kubernetes_cpu_limit, ...(memory > 0 && { memory: String(memory) }) },
  }
}
