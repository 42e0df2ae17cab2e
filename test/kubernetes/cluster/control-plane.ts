import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '#test/harness/service/free-port.ts'
import { until } from '#test/harness/until.ts'
import { type Kubectl, kube, kubectlOf } from '../kube/kube.ts'
import { Part } from './part.ts'

export type ControlPlane = AsyncDisposable & {
  url: string
  ca: string
  kubeconfig: string
  kubectl: Kubectl
  apiServer: Part
  /** Resolves when the API server answers (again). */
  ready: () => Promise<void>
}

/** etcd, the API server, the controllers and the scheduler, on loopback, in this folder. */
export async function startControlPlane(folder: string): Promise<ControlPlane> {
  await using opened = new AsyncDisposableStack()
  const [etcd, peer, api, controllers, scheduler] = await freePorts(5)
  const url = `https://127.0.0.1:${api}`
  execFileSync(fileURLToPath(new URL('pki.sh', import.meta.url)), [url], { cwd: folder, stdio: 'pipe' })
  const kubeconfig = join(folder, 'kubeconfig')
  const kubectl = kubectlOf(kubeconfig)
  const start = (name: string, flags: Record<string, string | number | boolean>) => {
    const options = Object.entries(flags).map(([flag, value]) => `--${flag}=${value}`)
    const part = opened.use(new Part(folder, name, [kube, name, ...options]))
    part.start()
    return part
  }
  const store = `http://127.0.0.1:${etcd}`
  const peers = `http://127.0.0.1:${peer}`
  start('etcd', {
    'data-dir': join(folder, 'etcd'),
    'unsafe-no-fsync': true,
    'listen-client-urls': store,
    'advertise-client-urls': store,
    'listen-peer-urls': peers,
    'initial-advertise-peer-urls': peers,
    'initial-cluster': `default=${peers}`,
  })
  const apiServer = start('apiserver', {
    'etcd-servers': store,
    'bind-address': '127.0.0.1',
    'secure-port': api!,
    'tls-cert-file': 'pki/apiserver.crt',
    'tls-private-key-file': 'pki/apiserver.key',
    'client-ca-file': 'pki/ca.crt',
    'kubelet-client-certificate': 'pki/kubelet-client.crt',
    'kubelet-client-key': 'pki/kubelet-client.key',
    'kubelet-preferred-address-types': 'InternalIP',
    'service-account-issuer': 'https://kubernetes.default.svc',
    'service-account-key-file': 'pki/sa.pub',
    'service-account-signing-key-file': 'pki/sa.key',
    'service-cluster-ip-range': '10.96.0.0/24',
    'endpoint-reconciler-type': 'none',
    'authorization-mode': 'Node,RBAC',
    'allow-privileged': true,
    profiling: false,
  })
  const ready = async () => void (await until(() => isResponding(kubectl), 240_000))
  await ready()
  const local = { kubeconfig, 'bind-address': '127.0.0.1', 'leader-elect': false }
  const accounts = { 'service-account-private-key-file': 'pki/sa.key', 'root-ca-file': 'pki/ca.crt' }
  start('controller-manager', { ...local, ...accounts, 'secure-port': controllers! })
  start('scheduler', { ...local, 'secure-port': scheduler! })
  const all = opened.move()
  const ca = join(folder, 'pki', 'ca.crt')
  return { url, ca, kubeconfig, kubectl, apiServer, ready, [Symbol.asyncDispose]: () => all.disposeAsync() }
}

async function isResponding(kubectl: Kubectl): Promise<boolean> {
  try {
    return (await kubectl(['get', '--raw', '/readyz'])) === 'ok'
  } catch {
    return false
  }
}

/** Different ones: a port that was asked for is free again at once. */
async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>()
  while (ports.size < count) ports.add(await freePort())
  return [...ports]
}
