import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync, globSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '#test/harness/service/free-port.ts'
import { until } from '#test/harness/until.ts'
import type { LocalServer, Place } from './servers.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const modelScript = fileURLToPath(new URL('make_model.py', import.meta.url))
const modelPackages = ['gguf', 'numpy', 'tokenizers', 'safetensors']

/** Some packages are compiled when they are installed. */
const installMs = 60 * 60_000

/**
 * Installs packages into a Python environment. A complete environment is reused.
 * @param overrides requirements that replace those of the packages. @returns its `bin` folder
 */
export function installPackages(folder: string, packages: string[], overrides: string[] = []): string {
  const [bin, mark] = [join(folder, 'bin'), join(folder, 'complete')]
  if (existsSync(mark)) return bin
  execFileSync('python3', ['-m', 'venv', folder], { stdio: 'inherit' })
  execFileSync(join(bin, 'pip'), ['install', '--quiet', 'uv'], { stdio: 'inherit', timeout: installMs })
  // pip cannot override requirements.
  writeFileSync(join(folder, 'overrides.txt'), overrides.join('\n'))
  const options = ['--python', join(bin, 'python'), '--override', join(folder, 'overrides.txt')]
  const args = ['pip', 'install', '--quiet', '--native-tls', ...options, ...packages]
  execFileSync(join(bin, 'uv'), args, { stdio: 'inherit', timeout: installMs })
  writeFileSync(mark, '')
  return bin
}

export const installedVersion = (bin: string, name: string): string =>
  /^Version: (.+)$/m.exec(execFileSync(join(bin, 'pip'), ['show', name], { encoding: 'utf8' }))?.[1] ?? 'unknown'

/** Writes the tiny model. @returns its folder. */
export function makeModel(folder: string): string {
  const bin = installPackages(join(folder, 'model-tools'), modelPackages)
  const model = join(folder, 'model')
  execFileSync(join(bin, 'python'), [modelScript, model, ...globSync(`${root}/docs/*.md`)], { stdio: 'inherit' })
  return model
}

export type RunningServer = { url: string; key: string; process: ChildProcess } & AsyncDisposable

/** Starts a server and waits until it answers. @throws Error with the end of its output if it ends before. */
export async function startServer(
  server: LocalServer,
  folder: string,
  place: Omit<Place, 'port'>,
): Promise<RunningServer> {
  const port = await freePort()
  const [work, log] = [join(folder, `run-${server.name}`), join(folder, `${server.name}.log`)]
  mkdirSync(work, { recursive: true })
  if (server.config) writeFileSync(join(work, 'config.yaml'), server.config({ ...place, port }))
  const [file = '', ...args] = server.command({ ...place, port })
  const output = openSync(log, 'w')
  const child = spawn(file, args, {
    cwd: work,
    env: { PATH: `${place.bin}:${process.env.PATH}`, HOME: work, ...server.environment },
    stdio: ['ignore', output, output],
    // vLLM's workers outlive it, so all processes of a server form a group that is ended together.
    detached: true,
  })
  const endGroup = () => {
    try {
      process.kill(-child.pid!, 'SIGKILL')
    } catch {
      // All of its processes have ended.
    }
  }
  process.once('exit', endGroup)
  const url = `http://127.0.0.1:${port}/v1`
  const headers = { authorization: `Bearer ${place.key}` }
  const isResponding = () =>
    fetch(`${url}/models`, { headers }).then(
      ({ ok }) => ok,
      () => false,
    )
  await until(async () => (await isResponding()) || child.exitCode !== null, 20 * 60_000)
  if (child.exitCode !== null) throw new Error(`${server.name} ended: ${readFileSync(log, 'utf8').slice(-2000)}`)
  return {
    url,
    key: place.key,
    process: child,
    async [Symbol.asyncDispose]() {
      process.off('exit', endGroup)
      endGroup()
    },
  }
}
