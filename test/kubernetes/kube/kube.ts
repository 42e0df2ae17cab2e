import { execFile, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const version = '1.36.3'

/** A cache of slow builds: Kubernetes by version, and Debian. */
export const cache = process.env.KUBERNETES_CACHE || join(homedir(), '.cache', 'signalbox-kubernetes')
/** All parts of Kubernetes in one binary: `kube <part> [flags]`. */
export const kube = join(cache, `kube-${version}`)

/** Builds the binary if it is missing. Takes 15 minutes of processor time and 2.5 GB of memory. */
export function buildKube(say: (what: string) => void): void {
  if (existsSync(kube)) return
  say(`Building Kubernetes ${version} into ${cache}, once: some 15 minutes of processor time.`)
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-kube-'))
  try {
    const script = fileURLToPath(new URL('build.sh', import.meta.url))
    const env = { ...process.env, PATH: `${process.env.PATH}:/usr/local/go/bin` }
    const { status } = spawnSync(script, [version, folder, kube], { stdio: 'inherit', env })
    if (status !== 0) throw new Error('Kubernetes could not be built.')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Runs `kubectl` as administrator of the cluster. @throws Error with its output. */
export type Kubectl = (args: string[], input?: object[]) => Promise<string>

export const kubectlOf =
  (kubeconfig: string): Kubectl =>
  async (args, input = []) => {
    const running = promisify(execFile)(kube, ['kubectl', '--kubeconfig', kubeconfig, ...args], { maxBuffer: 1e8 })
    running.child.stdin?.end(input.map((object) => JSON.stringify(object)).join('\n---\n'))
    return (await running).stdout
  }
