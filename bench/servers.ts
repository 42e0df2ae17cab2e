import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createSyntheticSnapshot } from './synthetic-snapshot.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const realSnapshot = join(root, '../shared/data/models.dev.json')
export const apiKey = `sb-v1-${'b'.repeat(64)}`

/** Creates a folder with a models.dev snapshot: the real one if it is beside the checkout. */
export function prepareFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-bench-'))
  const isReal = existsSync(realSnapshot)
  const snapshot = join(folder, 'models.dev.json')
  writeFileSync(snapshot, isReal ? readFileSync(realSnapshot) : createSyntheticSnapshot())
  return { folder, snapshot, isReal, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

export type RunningServer = { url: string; pid: number; msToListen: number; stop: () => Promise<void> }

/** The arguments that `npm start` passes to Node. `start` sets the environment. */
export function npmStartArguments(checkout = root): string[] {
  // An older checkout, with which this one is compared, has no bundle.
  const script = existsSync(join(checkout, 'bin/start.ts')) ? 'bin/start.ts' : 'bin/server.ts'
  if (script === 'bin/start.ts') buildBundle(checkout)
  return [
    '--min-semi-space-size=4',
    '--max-semi-space-size=16',
    '--heap-growing-percent=30',
    '--import',
    './bin/compile-cache.js',
    script,
  ]
}

const bundledCheckouts = new Set<string>()

/** Builds the bundle of a checkout once. Otherwise the first start would build it during the measurement. */
function buildBundle(checkout: string): void {
  if (bundledCheckouts.has(checkout)) return
  bundledCheckouts.add(checkout)
  const { status, stderr } = spawnSync(process.execPath, ['bin/bundle.ts'], { cwd: checkout, encoding: 'utf8' })
  if (status !== 0) throw new Error(`The service could not be bundled: ${stderr}`)
}

/** Starts the service as `npm start` does. */
export function startService(fixture: { folder: string; snapshot: string }): Promise<RunningServer> {
  return start(npmStartArguments(), {
    PORT: '0',
    HOST: '127.0.0.1',
    DATA_DIR: join(fixture.folder, 'data'),
    MODELS_DEV_FILE: fixture.snapshot,
    BOOTSTRAP_API_KEY: apiKey,
    LOG_LEVEL: 'error',
  })
}

/** Starts the baseline: a node:http server that writes the bytes of a file. */
export function startBare(file: string, contentEncoding: string): Promise<RunningServer> {
  return start(['bench/bare-server.ts', file, contentEncoding], {})
}

/**
 * Starts a server and waits until it listens.
 * @param program the arguments of Node, or a command that replaces its process by the server.
 * @param log the descriptor of the file for the server's standard error.
 * @param cwd the checkout whose files the server runs.
 */
export async function start(
  program: string[] | { command: string; args: string[] },
  environment: Record<string, string>,
  log: number | 'inherit' = 'inherit',
  cwd = root,
): Promise<RunningServer> {
  const { command, args } = Array.isArray(program) ? { command: process.execPath, args: program } : program
  const startedAt = performance.now()
  const child = spawn(command, args, {
    cwd,
    stdio: ['ignore', 'pipe', log],
    env: { PATH: process.env.PATH, MALLOC_ARENA_MAX: '2', ...environment },
  })
  const url = await listeningUrl(child)
  return { url, pid: child.pid!, msToListen: performance.now() - startedAt, stop: () => stop(child) }
}

/** Whether a process can be bound to a core. */
export const hasTaskset = spawnSync('taskset', ['--version']).status === 0

/** The command that runs Node on the first core, where the system allows it. The clients get the second one: `useSecondCore`. */
export function onFirstCore(args: string[]): { command: string; args: string[] } {
  if (!hasTaskset) return { command: process.execPath, args }
  return { command: 'taskset', args: ['-c', '0', process.execPath, ...args] }
}

/** Binds this process, and what it starts from now on, to the second core. */
export function useSecondCore(): void {
  if (hasTaskset) spawnSync('taskset', ['-a', '-p', '-c', '1', String(process.pid)])
}

async function listeningUrl(child: ChildProcess): Promise<string> {
  for await (const line of createInterface(child.stdout!)) {
    const url = /^listening on (\S+)$/.exec(line)?.[1]
    if (url) return url
  }
  throw new Error('The server ended before it listened.')
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
}

/** The resident memory of a process, in MB; undefined if the system does not report it. */
export function residentMegabytes(pid: number): number | undefined {
  const file = `/proc/${pid}/status`
  const kilobytes = existsSync(file) ? /VmRSS:\s+(\d+)/.exec(readFileSync(file, 'utf8'))?.[1] : undefined
  return kilobytes === undefined ? undefined : Number(kilobytes) / 1024
}

/** The private memory of a process, and its share of memory that others use too, in MB. */
export function proportionalMegabytes(pid: number): number {
  const kilobytes = /^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1]
  return Number(kilobytes) / 1024
}

/**
 * The memory of a server in its heap and outside, after a garbage collection, in MB. The server must load `collect-on-signal.ts`,
 * which writes the figure to this file.
 */
export async function liveMegabytes(pid: number, file: string): Promise<number> {
  rmSync(file, { force: true })
  process.kill(pid, 'SIGUSR2')
  while (!existsSync(file) || readFileSync(file, 'utf8') === '') await sleep(50)
  return Number(readFileSync(file, 'utf8'))
}

/** The processor time of a process so far, in microseconds. Unlike its speed, it does not depend on other load. */
export function processorMicroseconds(pid: number): number {
  return readProcessorTime(`/proc/${pid}/stat`)
}

/** The processor time of a process by the names of its running threads, in microseconds. Exact, so that short periods can be compared. */
export function microsecondsByThread(pid: number): Map<string, number> {
  const folder = `/proc/${pid}/task`
  const byName = new Map<string, number>()
  for (const id of existsSync(folder) ? readdirSync(folder) : []) {
    const name = id === String(pid) ? 'main' : readFileSync(`${folder}/${id}/comm`, 'utf8').trim()
    const [nanoseconds] = readFileSync(`${folder}/${id}/schedstat`, 'utf8').split(' ')
    byName.set(name, (byName.get(name) ?? 0) + Number(nanoseconds) / 1000)
  }
  return byName
}

function readProcessorTime(file: string): number {
  if (!existsSync(file)) return Number.NaN
  const [, fields = ''] = readFileSync(file, 'utf8').split(/\) /)
  const [user, system] = fields.split(' ').slice(11, 13).map(Number)
  // The kernel counts in hundredths of a second.
  return ((user ?? 0) + (system ?? 0)) * 10_000
}
