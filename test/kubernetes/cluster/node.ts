import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '#test/harness/service/free-port.ts'
import { until } from '#test/harness/until.ts'
import { type Kubectl, kube } from '../kube/kube.ts'
import type { ControlPlane } from './control-plane.ts'
import { addBridge, addControlGroup, endByPath, endControlGroup, setLink } from './kernel.ts'
import { containerdSocket, type NodePlace, writeNodeSettings } from './node-settings.ts'
import { Part } from './part.ts'

export type ClusterNode = AsyncDisposable & {
  name: string
  /** Where pods reach what listens on this machine. */
  gateway: string
  /** Simulates a power failure: nothing runs on the node, and its pods are unreachable. */
  lose: () => Promise<void>
  /** Starts the node again, with its files. */
  regain: () => Promise<void>
  /** Runs a command where the node's mounts are seen. */
  inside: (...command: string[]) => string
}

/** A node of this machine: containerd and a kubelet with a separate mount namespace. */
export async function startNode(
  place: NodePlace,
  images: string[],
  { kubectl, kubeconfig }: ControlPlane,
): Promise<ClusterNode> {
  await using opened = new AsyncDisposableStack()
  const name = 'node-1'
  const { folder } = place
  writeNodeSettings(place, await freePort(), await freePort())
  addBridge(place.nodeBridge, `${place.nodeAddress}/32`)
  const gateway = place.podSubnet.replace('0/24', '1')
  // The first pod would add it, but tests listen at the gateway before that.
  addBridge(place.podBridge, `${gateway}/24`)
  addControlGroup(place.cgroupRoot)
  // The shims, which outlive containerd.
  opened.defer(() => endByPath(containerdSocket(place)))
  // One process keeps the mounts while containerd is started again.
  const mounts = opened.use(
    new Part(folder, 'mounts', ['unshare', '-m', '--propagation', 'private', 'sh', '-c', keepMounts]),
  )
  mounts.start()
  const inMounts = (...command: string[]) => ['nsenter', '-t', String(mounts.pid), '-m', ...command]
  const inside = (...command: string[]) => {
    const [first = '', ...args] = inMounts(...command)
    return execFileSync(first, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  }
  await until(() => readFileSync(`/proc/${mounts.pid}/mountinfo`, 'utf8').includes(' shared:'))
  const containerd = opened.use(
    new Part(folder, 'containerd', inMounts('containerd', '--config', join(folder, 'containerd.toml'))),
  )
  const kubelet = opened.use(
    new Part(
      folder,
      'kubelet',
      inMounts(
        ...[kube, 'kubelet', '--kubeconfig', kubeconfig, '--config', join(folder, 'kubelet.yaml')],
        ...['--root-dir', join(folder, name), '--cert-dir', join(folder, name, 'pki')],
        ...['--hostname-override', name, '--node-ip', place.nodeAddress, '--v=2'],
      ),
    ),
  )
  const ctr = (...args: string[]) => inside('ctr', '-a', containerdSocket(place), '-n', 'k8s.io', ...args)
  const start = async () => {
    containerd.start()
    await until(() => succeeds(() => ctr('version')))
    kubelet.start()
  }
  await start()
  for (const image of images) ctr('images', 'import', image)
  await until(() => isReady(kubectl, name), 240_000)
  const all = opened.move()
  return {
    name,
    gateway,
    inside,
    async lose() {
      setLink(place.podBridge, 'down')
      await kubelet.kill()
      await containerd.kill()
      endByPath(containerdSocket(place))
      await endControlGroup(place.cgroupRoot)
    },
    async regain() {
      if (kubelet.isRunning) return
      setLink(place.podBridge, 'up')
      await start()
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

/** They share their mounts with each other, and with no other process. */
const keepMounts = 'mount --make-rprivate / && mount --make-rshared / && exec sleep infinity'

/** Names and addresses that no other cluster of this machine has. */
export function placeOf(folder: string): NodePlace {
  const own = process.pid % 250
  return {
    folder,
    podBridge: `sbpods${process.pid}`,
    nodeBridge: `sbnode${process.pid}`,
    podSubnet: `10.244.${own}.0/24`,
    nodeAddress: `10.245.${own}.1`,
    cgroupRoot: `/signalbox-kubernetes-${process.pid}`,
  }
}

function succeeds(work: () => unknown): boolean {
  try {
    work()
    return true
  } catch {
    return false
  }
}

async function isReady(kubectl: Kubectl, name: string): Promise<boolean> {
  const path = '-ojsonpath={.status.conditions[?(@.type=="Ready")].status}'
  return (await kubectl(['get', 'node', name, path]).catch(() => '')) === 'True'
}
