import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ask, atRate, type Door, doorOf, open, saturate, type Timing } from './completion-load.ts'
import { chunksOfStream, startCannedUpstream } from './fixed-upstream.ts'
import { guardedKey } from './key-with-guardrails.ts'
import { exitWithVerdict, inEachLine, median, report } from './report.ts'
import { apiKey, asNpmStarts, processorMicroseconds, type Running, start } from './servers.ts'

/**
 * Measures a completion on its way through the service, with key, plan, metering and log. The service has one core, the
 * provider and the clients the other. Exits with 1 if a target is missed.
 */
const messages = [
  { role: 'user', content: 'Write me a story of a signal box beside the line, in a few words. '.repeat(4) },
]
const whole = { model: 'canned/model', messages }
const streamed = { ...whole, stream: true }

const managementKey = `sb-v1-${'c'.repeat(64)}`
const measures = {
  async added() {
    await measureAdded(100)
    await measureAdded(1000)
  },
  guardrails: measureGuardrails,
  async processor() {
    await measureRate('JSON requests', whole, 2)
    await measureRate(`streams of ${chunksOfStream} chunks`, streamed, 1.4)
  },
  memory: measureMemory,
}
/** The measured parts: all, unless arguments name some (`-- memory`). */
const parts = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(measures)

const rounds = Number(process.env.ROUNDS ?? 5)
const warmMs = Number(process.env.WARM_MS ?? 50_000)
const folder = mkdtempSync(join(tmpdir(), 'signalbox-overhead-'))
const heldFile = (name: string) => join(folder, `held-${name}`)
const upstream = await startCannedUpstream()
const ours = await startOurs()
const through = [
  { name: 'ours', server: ours },
  {
    name: 'dispatch',
    server: await start(
      onFirstCore(['--import', './bench/collect-on-signal.ts', 'bench/dispatch-proxy.ts', upstream.url]),
      { HELD_FILE: heldFile('dispatch') },
    ),
  },
  { name: 'pass-through', server: await start(onFirstCore(['bench/pass-through.ts', upstream.url]), {}) },
]
inEachLine(hasTaskset() ? '1 core' : `${availableParallelism()} cores`)
if (hasTaskset()) spawnSync('taskset', ['-a', '-p', '-c', '1', String(process.pid)])
try {
  await warmUp()
  for (const part of parts) await measures[part as keyof typeof measures]()
} finally {
  await Promise.all(through.map(({ server }) => server.stop()))
  upstream.stop()
  rmSync(folder, { recursive: true, force: true })
}
exitWithVerdict()

function startOurs(): Promise<Running> {
  const file = join(folder, 'catalogue.json')
  const endpoint = { prices: { prompt: 1, completion: 2 }, supported_parameters: ['temperature'] }
  const provider = { name: 'Canned', protocol: 'openai-chat', base_url: upstream.url, credentials: ['CANNED_API_KEY'] }
  const model = (name: string) => ({
    name,
    created: '2026-01-01',
    context_length: 100_000,
    endpoints: { canned: { ...endpoint, model: name }, other: { ...endpoint, model: name } },
  })
  const models = { 'canned/model': model('model'), 'canned/slow': model('slow') }
  writeFileSync(file, JSON.stringify({ providers: { canned: provider, other: provider }, models }))
  const environment = {
    PORT: '0',
    HOST: '127.0.0.1',
    DATA_DIR: join(folder, 'data'),
    CATALOGUE_FILE: file,
    BOOTSTRAP_API_KEY: apiKey,
    BOOTSTRAP_MANAGEMENT_KEY: managementKey,
    CANNED_API_KEY: 'secret',
    LOG_FORMAT: 'json',
    DEMO_INTERN: 'false',
    HELD_FILE: heldFile('ours'),
    NODE_OPTIONS: process.env.SERVER_NODE_OPTIONS ?? '',
  }
  return start(
    onFirstCore(['--import', './bench/collect-on-signal.ts', ...asNpmStarts()]),
    environment,
    openSync(join(folder, 'log'), 'w'),
  )
}

function hasTaskset(): boolean {
  return spawnSync('taskset', ['--version']).status === 0
}

function onFirstCore(args: string[]): { command: string; args: string[] } {
  if (!hasTaskset()) return { command: process.execPath, args }
  return { command: 'taskset', args: ['-c', '0', process.execPath, ...args] }
}

/** Until the engine has compiled what it will, which takes it some hundred thousand requests; both as long. */
async function warmUp(): Promise<void> {
  for (const { server } of through) {
    await saturate(doorOf(server.url, apiKey, whole), { connections: 16, ms: 0.8 * warmMs })
    await saturate(doorOf(server.url, apiKey, streamed), { connections: 16, ms: 0.2 * warmMs })
  }
}

type Added = { p50: number[]; p99: number[]; first: number[] }

/**
 * At a constant rate of arrivals, whatever the answers take: a round straight to the provider, then one through each. What
 * the service adds is compared with what the fastest proxy adds.
 */
async function measureAdded(perSecond: number): Promise<void> {
  const rate = { perSecond, ms: 3000 }
  const added = through.map((): Added => ({ p50: [], p99: [], first: [] }))
  for (let round = 0; round < rounds; round++) {
    const direct = await atRate(doorOf(upstream.url, apiKey, whole), rate)
    const directStream = await atRate(doorOf(upstream.url, apiKey, streamed), rate)
    for (const [at, { server }] of through.entries()) {
      const { p50, p99, first } = added[at]!
      const more = (taken: Timing[], straight: Timing[], share: number, of: keyof Timing) =>
        percentile(taken, share, of) - percentile(straight, share, of)
      const taken = await atRate(doorOf(server.url, apiKey, whole), rate)
      p50.push(more(taken, direct, 0.5, 'whole'))
      p99.push(more(taken, direct, 0.99, 'whole'))
      const stream = await atRate(doorOf(server.url, apiKey, streamed), rate)
      first.push(more(stream, directStream, 0.5, 'first'))
    }
  }
  const reportAdded = (what: string, figure: keyof Added, most: number) => {
    const [ours, dispatch, pipeline] = added.map((one) => median(one[figure]))
    const beyond = median(added[0]![figure].map((one, round) => one - added[1]![figure][round]!))
    const figures = [ours, dispatch, pipeline].map((ms) => ms!.toFixed(2)).join(', ')
    report(`${what} at ${perSecond}/s: ours, dispatch, pass-through`, `${figures} ms`)
    report('  ours beyond the dispatch proxy', `${beyond.toFixed(2)} ms`, {
      text: `<= ${most} ms`,
      met: beyond <= most,
    })
  }
  reportAdded('added, p50,', 'p50', 0.15)
  reportAdded('added, p99,', 'p99', 3)
  reportAdded('added to the first token, p50,', 'first', 0.5)
}

/** The same request with and without three guardrails in force, in turn, so that both see the same machine. */
async function measureGuardrails(): Promise<void> {
  const plain = doorOf(ours.url, apiKey, whole)
  for (const filters of [false, true]) {
    const guarded = doorOf(ours.url, await guardedKey(ours.url, managementKey, filters), whole)
    const added: number[] = []
    for (let round = 0; round <= 2 * rounds; round++) {
      const [without, within] = await inTurn([plain, guarded], 600)
      // The first round warms up.
      if (round > 0) added.push(percentile(within!, 0.5, 'whole') - percentile(without!, 0.5, 'whole'))
    }
    const p50 = median(added) * 1000
    const what = filters ? 'three guardrails and two content filters' : 'three guardrails with limits'
    report(`added by ${what}, p50`, `${p50.toFixed(0)} us`, { text: '<= 50 us', met: p50 <= 50 })
  }
}

async function inTurn(doors: Door[], times: number): Promise<Timing[][]> {
  const timings = doors.map((): Timing[] => [])
  const sockets = await Promise.all(doors.map(open))
  for (let at = 0; at < times; at++) {
    for (const [index, door] of doors.entries()) timings[index]!.push(await ask(sockets[index]!, door))
  }
  for (const socket of sockets) socket.destroy()
  return timings
}

/** Unlike rates, processor time does not depend on other load. The targets are ratios to the dispatch proxy. */
async function measureRate(what: string, body: object, most: number): Promise<void> {
  const load = { connections: 32, ms: 1500 }
  const rates = through.map((): number[] => [])
  const spent = through.map((): number[] => [])
  for (let round = 0; round < rounds; round++) {
    for (const [at, { server }] of through.entries()) {
      const before = processorMicroseconds(server.pid)
      const started = performance.now()
      const { rate, refused } = await saturate(doorOf(server.url, apiKey, body), load)
      if (refused > 0) report(`${what}: refused by ${server.url}`, String(refused), { text: '0', met: false })
      rates[at]!.push(rate)
      const answers = rate * ((performance.now() - started) / 1000)
      spent[at]!.push((processorMicroseconds(server.pid) - before) / answers)
    }
  }
  const ratio = (figures: number[][], other: number) =>
    median(figures[0]!.map((one, round) => one / figures[other]![round]!))
  const medians = (figures: number[][]) => figures.map((one) => median(one).toFixed(0)).join(', ')
  report(
    `${what}, a second: ours, dispatch, pass-through`,
    `${medians(rates)}; ${ratio(rates, 2).toFixed(2)} of the last`,
  )
  const times = ratio(spent, 1)
  report('  processor time of each', `${medians(spent)} µs`)
  const chunk = 'stream' in body ? ` (${(median(spent[0]!) / chunksOfStream).toFixed(1)} µs a chunk)` : ''
  report(`  ours against the dispatch proxy${chunk}`, `${times.toFixed(2)} times`, {
    text: `<= ${most.toFixed(1)} times`,
    met: times <= most,
  })
}

/** The live memory per stream: after a collection, with n and 2n open streams. */
async function measureMemory(): Promise<void> {
  const streams = 1500
  for (const { name, server } of through.slice(0, 2)) {
    const model = name === 'ours' ? 'canned/slow' : 'slow'
    const door: Door = doorOf(server.url, apiKey, { ...streamed, model })
    const sockets: Socket[] = []
    const held: number[] = []
    for (const open of [100, 100 + streams, 100 + 2 * streams]) {
      await openUpTo(open, sockets, door)
      held.push(await heldMegabytes(server.pid, name))
    }
    for (const socket of sockets) socket.destroy()
    const kilobytes = [1, 2].map((at) => ((held[at]! - held[at - 1]!) * 1024) / streams)
    const target = { text: '<= 25 kB', met: kilobytes.every((one) => one > 0 && one <= 25) }
    const what = `alive for each stream, of ${streams} and of as many more: ${name}`
    report(what, `${kilobytes.map((one) => one.toFixed(1)).join(', ')} kB`, name === 'ours' ? target : undefined)
  }
}

async function openUpTo(count: number, sockets: Socket[], door: Door): Promise<void> {
  while (sockets.length < count) {
    const socket = await open(door)
    sockets.push(socket)
    void ask(socket, door).catch(() => {})
    if (sockets.length % 50 === 0) await sleep(20)
  }
  await sleep(3000)
}

/** The live memory of a server after a garbage collection. */
async function heldMegabytes(pid: number, name: string): Promise<number> {
  const file = heldFile(name)
  rmSync(file, { force: true })
  process.kill(pid, 'SIGUSR2')
  while (!existsSync(file) || readFileSync(file, 'utf8') === '') await sleep(50)
  return Number(readFileSync(file, 'utf8'))
}

function percentile(timings: Timing[], share: number, of: keyof Timing): number {
  const sorted = timings.map((timing) => timing[of]).sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length * share)] ?? 0
}
