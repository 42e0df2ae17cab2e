import { mkdtempSync, openSync, rmSync } from 'node:fs'
import type { Socket } from 'node:net'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { cannedEnvironment } from './canned-service.ts'
import {
  type CompletionTarget,
  connectTo,
  createCompletionTarget,
  requestAtRate,
  saturate,
  sendRequest,
  type Timing,
} from './completion-load.ts'
import { chunksOfStream, startFixedUpstream } from './fixed-upstream.ts'
import { createKeyWithGuardrails } from './key-with-guardrails.ts'
import { exitWithVerdict, median, report, setMachineLabel } from './report.ts'
import {
  apiKey,
  hasTaskset,
  liveMegabytes,
  npmStartArguments,
  onFirstCore,
  processorMicroseconds,
  type RunningServer,
  start,
  useSecondCore,
} from './servers.ts'

/**
 * Measures what the service adds to a completion, with key, plan, metering and log. The service runs on one core, the provider
 * and the clients on the other. Exits with 1 if a target is missed.
 */
const messages = [
  { role: 'user', content: 'Write me a story of a signal box beside the line, in a few words. '.repeat(4) },
]
const wholeRequest = { model: 'canned/model', messages }
const streamRequest = { ...wholeRequest, stream: true }

const managementKey = `sb-v1-${'c'.repeat(64)}`
const measures = {
  async added() {
    await measureAdded(100)
    await measureAdded(1000)
  },
  guardrails: measureGuardrails,
  async processor() {
    await measureRate('JSON requests', wholeRequest, 2)
    await measureRate(`streams of ${chunksOfStream} chunks`, streamRequest, 1.4)
  },
  memory: measureMemory,
}
/** The parts to measure: those in the arguments (`-- memory`), by default all. */
const parts = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(measures)

const rounds = Number(process.env.ROUNDS ?? 5)
const warmMs = Number(process.env.WARM_MS ?? 50_000)
const folder = mkdtempSync(join(tmpdir(), 'signalbox-overhead-'))
const liveMemoryFile = (name: string) => join(folder, `live-memory-${name}`)
const upstream = await startFixedUpstream()
const service = await startService()
/** Figures refer to them by index. */
const gateways = [
  { name: 'ours', server: service },
  {
    name: 'dispatch',
    server: await start(
      onFirstCore(['--import', './bench/collect-on-signal.ts', 'bench/dispatch-proxy.ts', upstream.url]),
      { LIVE_MEMORY_FILE: liveMemoryFile('dispatch') },
    ),
  },
  { name: 'pass-through', server: await start(onFirstCore(['bench/pass-through.ts', upstream.url]), {}) },
]
setMachineLabel(hasTaskset ? '1 core' : `${availableParallelism()} cores`)
useSecondCore()
try {
  await warmUp()
  for (const part of parts) await measures[part as keyof typeof measures]()
} finally {
  await Promise.all(gateways.map(({ server }) => server.stop()))
  upstream.stop()
  rmSync(folder, { recursive: true, force: true })
}
exitWithVerdict()

function startService(): Promise<RunningServer> {
  const catalogue = { providers: ['canned', 'other'], models: ['model', 'slow'] }
  const environment = {
    ...cannedEnvironment(folder, upstream.url, catalogue),
    BOOTSTRAP_MANAGEMENT_KEY: managementKey,
    LIVE_MEMORY_FILE: liveMemoryFile('ours'),
    NODE_OPTIONS: process.env.SERVER_NODE_OPTIONS ?? '',
  }
  return start(
    onFirstCore(['--import', './bench/collect-on-signal.ts', ...npmStartArguments()]),
    environment,
    openSync(join(folder, 'log'), 'w'),
  )
}

/** Sends requests until V8 has compiled the hot code, which takes some hundred thousand requests. */
async function warmUp(): Promise<void> {
  for (const { server } of gateways) {
    await saturate(createCompletionTarget(server.url, apiKey, wholeRequest), { connections: 16, ms: 0.8 * warmMs })
    await saturate(createCompletionTarget(server.url, apiKey, streamRequest), { connections: 16, ms: 0.2 * warmMs })
  }
}

type Added = { p50: number[]; p99: number[]; first: number[] }

/**
 * Sends requests at a constant rate: in each round directly to the provider, then through each gateway. Compares the latency that
 * the service adds with that of the fastest proxy.
 */
async function measureAdded(perSecond: number): Promise<void> {
  const rate = { perSecond, ms: 3000 }
  const added = gateways.map((): Added => ({ p50: [], p99: [], first: [] }))
  for (let round = 0; round < rounds; round++) {
    const direct = await requestAtRate(createCompletionTarget(upstream.url, apiKey, wholeRequest), rate)
    const directStream = await requestAtRate(createCompletionTarget(upstream.url, apiKey, streamRequest), rate)
    for (const [at, { server }] of gateways.entries()) {
      const { p50, p99, first } = added[at]!
      const difference = (timings: Timing[], directTimings: Timing[], share: number, field: keyof Timing) =>
        percentile(timings, share, field) - percentile(directTimings, share, field)
      const timings = await requestAtRate(createCompletionTarget(server.url, apiKey, wholeRequest), rate)
      p50.push(difference(timings, direct, 0.5, 'wholeMs'))
      p99.push(difference(timings, direct, 0.99, 'wholeMs'))
      const stream = await requestAtRate(createCompletionTarget(server.url, apiKey, streamRequest), rate)
      first.push(difference(stream, directStream, 0.5, 'firstByteMs'))
    }
  }
  const reportAdded = (what: string, figure: keyof Added, maxMs: number) => {
    const [ours, dispatch, passThrough] = added.map((sample) => median(sample[figure]))
    const beyondProxyMs = median(added[0]![figure].map((ms, round) => ms - added[1]![figure][round]!))
    const figures = [ours, dispatch, passThrough].map((ms) => ms!.toFixed(2)).join(', ')
    report(`${what} at ${perSecond}/s: ours, dispatch, pass-through`, `${figures} ms`)
    report('  ours beyond the dispatch proxy', `${beyondProxyMs.toFixed(2)} ms`, {
      text: `<= ${maxMs} ms`,
      isMet: beyondProxyMs <= maxMs,
    })
  }
  reportAdded('added, p50,', 'p50', 0.15)
  reportAdded('added, p99,', 'p99', 3)
  reportAdded('added to the first token, p50,', 'first', 0.5)
}

/** Alternates requests with and without three guardrails, so that other load of the machine affects both. */
async function measureGuardrails(): Promise<void> {
  const unguarded = createCompletionTarget(service.url, apiKey, wholeRequest)
  for (const hasFilters of [false, true]) {
    const guarded = createCompletionTarget(
      service.url,
      await createKeyWithGuardrails(service.url, managementKey, { hasFilters }),
      wholeRequest,
    )
    const added: number[] = []
    for (let round = 0; round <= 2 * rounds; round++) {
      const [without, withGuardrails] = await alternate([unguarded, guarded], 600)
      // The first round warms up.
      if (round > 0) added.push(percentile(withGuardrails!, 0.5, 'wholeMs') - percentile(without!, 0.5, 'wholeMs'))
    }
    const p50 = median(added) * 1000
    const what = hasFilters ? 'three guardrails and two content filters' : 'three guardrails with limits'
    report(`added by ${what}, p50`, `${p50.toFixed(0)} us`, { text: '<= 50 us', isMet: p50 <= 50 })
  }
}

async function alternate(targets: CompletionTarget[], times: number): Promise<Timing[][]> {
  const timings = targets.map((): Timing[] => [])
  const sockets = await Promise.all(targets.map(connectTo))
  for (let i = 0; i < times; i++) {
    for (const [index, target] of targets.entries()) timings[index]!.push(await sendRequest(sockets[index]!, target))
  }
  for (const socket of sockets) socket.destroy()
  return timings
}

/**
 * Measures the rate of each gateway, and its processor time per request. The target is the ratio of the processor time to that of the
 * dispatch proxy: unlike rates, it does not depend on other load.
 */
async function measureRate(what: string, body: object, maxRatio: number): Promise<void> {
  const load = { connections: 32, ms: 1500 }
  const rates = gateways.map((): number[] => [])
  const microseconds = gateways.map((): number[] => [])
  for (let round = 0; round < rounds; round++) {
    for (const [at, { server }] of gateways.entries()) {
      const before = processorMicroseconds(server.pid)
      const startedAt = performance.now()
      const { rate, refused } = await saturate(createCompletionTarget(server.url, apiKey, body), load)
      if (refused > 0) report(`${what}: refused by ${server.url}`, String(refused), { text: '0', isMet: false })
      rates[at]!.push(rate)
      const responses = rate * ((performance.now() - startedAt) / 1000)
      microseconds[at]!.push((processorMicroseconds(server.pid) - before) / responses)
    }
  }
  const ratio = (figures: number[][], other: number) =>
    median(figures[0]!.map((value, round) => value / figures[other]![round]!))
  const medians = (figures: number[][]) => figures.map((values) => median(values).toFixed(0)).join(', ')
  report(
    `${what}, per second: ours, dispatch, pass-through`,
    `${medians(rates)}; ${ratio(rates, 2).toFixed(2)} of the last`,
  )
  const ratioToProxy = ratio(microseconds, 1)
  report('  processor time of each', `${medians(microseconds)} µs`)
  const chunk = 'stream' in body ? ` (${(median(microseconds[0]!) / chunksOfStream).toFixed(1)} µs per chunk)` : ''
  report(`  ours against the dispatch proxy${chunk}`, `${ratioToProxy.toFixed(2)} times`, {
    text: `<= ${maxRatio.toFixed(1)} times`,
    isMet: ratioToProxy <= maxRatio,
  })
}

/** The live memory per stream: after a collection, with n and 2n open streams. */
async function measureMemory(): Promise<void> {
  const streams = 1500
  for (const { name, server } of gateways.slice(0, 2)) {
    const model = name === 'ours' ? 'canned/slow' : 'slow'
    const target: CompletionTarget = createCompletionTarget(server.url, apiKey, { ...streamRequest, model })
    const sockets: Socket[] = []
    const megabytes: number[] = []
    for (const count of [100, 100 + streams, 100 + 2 * streams]) {
      await openUpTo(count, sockets, target)
      megabytes.push(await liveMegabytes(server.pid, liveMemoryFile(name)))
    }
    for (const socket of sockets) socket.destroy()
    const kilobytes = [1, 2].map((i) => ((megabytes[i]! - megabytes[i - 1]!) * 1024) / streams)
    const limit = { text: '<= 25 kB', isMet: kilobytes.every((kB) => kB > 0 && kB <= 25) }
    const what = `live memory per stream, of the first ${streams} and the next ${streams}: ${name}`
    report(what, `${kilobytes.map((kB) => kB.toFixed(1)).join(', ')} kB`, name === 'ours' ? limit : undefined)
  }
}

async function openUpTo(count: number, sockets: Socket[], target: CompletionTarget): Promise<void> {
  while (sockets.length < count) {
    const socket = await connectTo(target)
    sockets.push(socket)
    void sendRequest(socket, target).catch(() => {})
    if (sockets.length % 50 === 0) await sleep(20)
  }
  await sleep(3000)
}

function percentile(timings: Timing[], share: number, field: keyof Timing): number {
  const sorted = timings.map((timing) => timing[field]).sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length * share)] ?? 0
}
