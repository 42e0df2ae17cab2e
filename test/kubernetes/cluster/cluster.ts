import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildKube } from '../kube/kube.ts'
import { makeOwnFolder, noteTraces, removeTraces } from '../leftovers.ts'
import { type ControlPlane, startControlPlane } from './control-plane.ts'
import { buildImages, serviceImage } from './images.ts'
import { kernelSettings } from './kernel.ts'
import { type ClusterNode, placeOf, startNode } from './node.ts'
import { makeVolumes } from './volumes.ts'

/** As in the objects that are shipped. */
export const namespace = 'signalbox-interns'

/** A cluster of one node that runs pods, with what the service needs of it. */
export type Cluster = AsyncDisposable & {
  folder: string
  plane: ControlPlane
  node: ClusterNode
  /** Settings of a service that has interns there. */
  settings: Record<string, string>
}

/** All that it makes is gone with it, and the kernel's settings are as before. */
export async function startCluster(say: (what: string) => void): Promise<Cluster> {
  await using opened = new AsyncDisposableStack()
  buildKube(say)
  const folder = makeOwnFolder()
  const place = placeOf(folder)
  const { podBridge, nodeBridge, cgroupRoot: controlGroup } = place
  noteTraces(folder, { links: [podBridge, nodeBridge], controlGroup, kernel: kernelSettings() })
  opened.defer(() => removeTraces(folder))
  say('Building the images.')
  const images = buildImages(folder)
  say('Starting the control plane.')
  const plane = opened.use(await startControlPlane(folder))
  say('Starting the node.')
  const node = opened.use(await startNode(place, images, plane))
  await makeVolumes(folder, plane, node, 150)
  const token = await grantAccess(folder, plane)
  say(`A cluster runs in ${folder}.`)
  const all = opened.move()
  const settings = {
    PROVISIONER: 'kubernetes',
    KUBERNETES_URL: plane.url,
    KUBERNETES_CA_FILE: plane.ca,
    KUBERNETES_TOKEN_FILE: token,
    KUBERNETES_NAMESPACE: namespace,
    KUBERNETES_IMAGE: serviceImage(1),
    KUBERNETES_STORAGE_CLASS: 'plenty',
    KUBERNETES_STORAGE: '1Gi',
  }
  return { folder, plane, node, settings, [Symbol.asyncDispose]: () => all.disposeAsync() }
}

/** The service account that is shipped, with its Role and no other right. @returns the file of its token. */
async function grantAccess(folder: string, { kubectl }: ControlPlane): Promise<string> {
  await kubectl(['apply', '-f', fileURLToPath(new URL('../../../ops/kubernetes/rbac.yaml', import.meta.url))])
  const file = join(folder, 'token')
  const token = await kubectl(['create', 'token', 'signalbox', '--namespace', namespace, '--duration', '24h'])
  writeFileSync(file, token.trim(), { mode: 0o600 })
  return file
}
