import { existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { cannedEnvironment } from './canned-service.ts'
import { createCompletionTarget, sendRequests } from './completion-load.ts'
import { startFixedUpstream } from './fixed-upstream.ts'
import { median } from './report.ts'
import { apiKey, microsecondsByThread, npmStartArguments, type RunningServer, start } from './servers.ts'

/**
 * Measures the processor time per request, in microseconds, of this checkout, of others (`-- ../other …`), and of the two proxies
 * in this folder. They take turns, so that other load of the machine affects all equally. Turns are short, because V8
 * discards the compiled code of a server that is idle for some seconds, which then needs twice the time.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '90' },
    loads: { type: 'string', default: 'json,stream' },
    warm: { type: 'string', default: '40' },
  },
})
const text = 'Write me a story of a signal box beside the line, in a few words. '
const completionRequest = (content: string) => ({ model: 'canned/model', messages: [{ role: 'user', content }] })
const loads: Record<string, { body: object; connections: number; times: number }> = {
  json: { body: completionRequest(text.repeat(4)), connections: 16, times: 300 },
  stream: { body: { ...completionRequest(text.repeat(4)), stream: true }, connections: 16, times: 70 },
  '200kB': { body: completionRequest(text.repeat(3100)), connections: 8, times: 60 },
  '2MB': { body: completionRequest(text.repeat(31_000)), connections: 4, times: 8 },
}

const folder = mkdtempSync(join(tmpdir(), 'signalbox-processor-'))
const upstream = await startFixedUpstream()
const checkouts = [process.cwd(), ...positionals.map((path) => resolve(path))]
/** The two proxies, this checkout, then the others: figures refer to the first three by index. */
const gateways: { name: string; server: RunningServer }[] = []
try {
  gateways.push({ name: 'dispatch proxy', server: await start(['bench/dispatch-proxy.ts', upstream.url], {}) })
  gateways.push({ name: 'pass-through', server: await start(['bench/pass-through.ts', upstream.url], {}) })
  for (const [at, checkout] of checkouts.entries())
    gateways.push({ name: at === 0 ? 'this' : checkout, server: await startCheckout(checkout, at) })
  for (const load of values.loads.split(',')) await measure(load)
} finally {
  await Promise.all(gateways.map(({ server }) => server.stop()))
  upstream.stop()
  rmSync(folder, { recursive: true, force: true })
}

function startCheckout(checkout: string, at: number): Promise<RunningServer> {
  const catalogue = { providers: ['canned', 'other'], contextLength: 4_000_000 }
  const environment = {
    ...cannedEnvironment(folder, upstream.url, catalogue),
    DATA_DIR: join(folder, `data-${at}`),
    NODE_OPTIONS: process.env.SERVER_NODE_OPTIONS ?? '',
  }
  return start(npmStartArguments(checkout), environment, openSync(join(folder, `log-${at}`), 'w'), checkout)
}

async function measure(name: string): Promise<void> {
  const load = loads[name]
  if (!load) throw new Error(`Unknown load ${name}. Use ${Object.keys(loads).join(', ')}.`)
  const targets = gateways.map(({ server }) => createCompletionTarget(server.url, apiKey, load.body))
  const rounds = Number(values.rounds)
  const microseconds: number[][] = gateways.map(() => [])
  for (let round = 0; round < Number(values.warm); round++)
    for (const target of targets) await sendRequests(target, load)
  const threads = gateways.map(() => new Map<string, number>())
  for (let round = 0; round < rounds; round++)
    for (const [at, { server }] of gateways.entries()) {
      const before = microsecondsByThread(server.pid)
      await sendRequests(targets[at]!, load)
      let total = 0
      for (const [thread, after] of microsecondsByThread(server.pid)) {
        const time = after - (before.get(thread) ?? 0)
        threads[at]!.set(thread, (threads[at]!.get(thread) ?? 0) + time)
        total += time
      }
      microseconds[at]!.push(total / load.times)
    }
  for (const [at, { name: gateway, server }] of gateways.entries()) {
    const ratioTo = (other: number) =>
      median(microseconds[at]!.map((value, round) => value / microseconds[other]![round]!)).toFixed(2)
    const ratios = `${ratioTo(0)} of the dispatch proxy, ${ratioTo(1)} of pass-through${at > 2 ? `, ${ratioTo(2)} of this` : ''}`
    console.log(
      `${name} ${gateway}: ${median(microseconds[at]!).toFixed(0)} µs, ${ratios} (${allowedCores(server.pid)})`,
    )
    const threadTimes = [...threads[at]!].map(
      ([thread, time]) => `${thread} ${(time / rounds / load.times).toFixed(0)}`,
    )
    console.log(`    by thread, mean: ${threadTimes.filter((text) => !text.endsWith(' 0')).join(', ')}`)
  }
}

/** The number of cores on which a process is allowed to run. */
function allowedCores(pid: number): string {
  const file = `/proc/${pid}/status`
  const allowed = existsSync(file) && /Cpus_allowed:\s*(\S+)/.exec(readFileSync(file, 'utf8'))?.[1]
  const bits = allowed ? [...BigInt(`0x${allowed.replaceAll(',', '')}`).toString(2)].filter((bit) => bit === '1') : []
  return `${Math.min(bits.length || availableParallelism(), availableParallelism())} cores`
}
