import { spawnSync } from 'node:child_process'
import { mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startCannedUpstream } from './canned-upstream.ts'
import { ask, atRate, type Door, doorOf, open, saturate, type Timing } from './completion-load.ts'
import { exitWithVerdict, median, report } from './figures.ts'
import { guardedKey } from './guarded-key.ts'
import { apiKey, asNpmStarts, processorMicroseconds, type Running, residentMegabytes, start } from './servers.ts'

/**
 * Measures a completion on its way through the service, with key, plan, metering and log. The service has one core, the
 * provider and the clients the other. Exits with 1 if a target is missed.
 */
const messages = [
  { role: 'user', content: 'Tell me a story of a signal box beside the line, in a few words. '.repeat(4) },
]
const whole = { model: 'canned/model', messages }
const streamed = { ...whole, stream: true }

const managementKey = `sb-v1-${'c'.repeat(64)}`
const rounds = Number(process.env.ROUNDS ?? 5)
const folder = mkdtempSync(join(tmpdir(), 'signalbox-overhead-'))
const upstream = await startCannedUpstream()
const ours = await startOurs()
const bare = await start(onFirstCore(['bench/pass-through.ts', upstream.url]), {})
if (hasTaskset()) spawnSync('taskset', ['-a', '-p', '-c', '1', String(process.pid)])
try {
  await warmUp()
  await measureAdded()
  await measureGuardrails()
  await measureRate('JSON requests a second', whole)
  await measureRate('streams of 50 events a second', streamed)
  await measureMemory()
} finally {
  await Promise.all([ours.stop(), bare.stop()])
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
    NODE_OPTIONS: process.env.SERVER_NODE_OPTIONS ?? '',
  }
  return start(onFirstCore(asNpmStarts()), environment, openSync(join(folder, 'log'), 'w'))
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
  for (const { url } of [ours, bare]) {
    await saturate(doorOf(url, apiKey, whole), { connections: 16, ms: 40_000 })
    await saturate(doorOf(url, apiKey, streamed), { connections: 16, ms: 10_000 })
  }
}

/** A round through the service beside one straight to the provider, in turn. */
async function measureAdded(): Promise<void> {
  const rate = { perSecond: 100, ms: 3000 }
  const figures = () => ({ p50: [] as number[], p99: [] as number[], first: [] as number[] })
  const added = { ours: figures(), bare: figures() }
  const difference = (door: Timing[], direct: Timing[], share: number, of: keyof Timing) =>
    percentile(door, share, of) - percentile(direct, share, of)
  for (let round = 0; round < rounds; round++) {
    const direct = await atRate(doorOf(upstream.url, apiKey, whole), rate)
    const directStream = await atRate(doorOf(upstream.url, apiKey, streamed), rate)
    for (const [name, { url }] of Object.entries({ ours, bare })) {
      const { p50, p99, first } = added[name as keyof typeof added]
      const through = await atRate(doorOf(url, apiKey, whole), rate)
      p50.push(difference(through, direct, 0.5, 'whole'))
      p99.push(difference(through, direct, 0.99, 'whole'))
      const throughStream = await atRate(doorOf(url, apiKey, streamed), rate)
      first.push(difference(throughStream, directStream, 0.5, 'first'))
    }
  }
  const tell = (what: string, figure: keyof typeof added.ours, most: number) => {
    const [ms, bares] = [median(added.ours[figure]), median(added.bare[figure])]
    const text = `${ms.toFixed(2)} ms (the bare proxy ${bares.toFixed(2)})`
    report(what, text, { text: `<= ${most} ms`, met: ms <= most })
  }
  tell('added at 100 requests a second, p50', 'p50', 0.4)
  tell('added at 100 requests a second, p99', 'p99', 3)
  tell('added to the time to the first token, p50', 'first', 1)
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

async function measureRate(what: string, body: object): Promise<void> {
  const load = { connections: 32, ms: 1500 }
  const rates = { ours: [] as number[], bare: [] as number[] }
  const spent = { ours: 0, bare: 0 }
  const one = async (name: 'ours' | 'bare', { url, pid }: Running) => {
    const before = processorMicroseconds(pid)
    const rate = await saturate(doorOf(url, apiKey, body), load)
    rates[name].push(rate)
    spent[name] += (processorMicroseconds(pid) - before) / (rate * (load.ms / 1000)) / rounds
  }
  for (let round = 0; round < rounds; round++) {
    await one('ours', ours)
    await one('bare', bare)
  }
  const [rate, theirs] = [median(rates.ours), median(rates.bare)]
  const ratio = rate / theirs
  const enough = 'stream' in body ? Number.POSITIVE_INFINITY : 5000
  const text = 'stream' in body ? '>= 0.6' : '>= 0.6, or 5,000'
  report(`${what}: ratio to a bare proxy`, `${ratio.toFixed(2)} (${rate.toFixed(0)}/${theirs.toFixed(0)})`, {
    text,
    met: ratio >= 0.6 || rate >= enough,
  })
  report('  processor time of each, the bare proxy’s beside it', `${spent.ours.toFixed(0)}/${spent.bare.toFixed(0)} µs`)
}

async function measureMemory(): Promise<void> {
  const streams = 2000
  const door: Door = doorOf(ours.url, apiKey, { ...streamed, model: 'canned/slow' })
  await sleep(1500)
  const before = residentMegabytes(ours.pid) ?? 0
  const sockets = []
  for (let at = 0; at < streams; at++) {
    const socket = await open(door)
    sockets.push(socket)
    void ask(socket, door).catch(() => {})
    if (at % 50 === 0) await sleep(10)
  }
  await sleep(5000)
  const kilobytes = (((residentMegabytes(ours.pid) ?? 0) - before) * 1024) / streams
  for (const socket of sockets) socket.destroy()
  report(`memory of each of ${streams} streams at once`, `${kilobytes.toFixed(1)} kB`, {
    text: '<= 40 kB',
    met: kilobytes <= 40,
  })
}

function percentile(timings: Timing[], share: number, of: keyof Timing): number {
  const sorted = timings.map((timing) => timing[of]).sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length * share)] ?? 0
}
