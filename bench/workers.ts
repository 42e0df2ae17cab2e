import { execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, openSync, rmSync } from 'node:fs'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { newEmptyTestStore, type TestStore } from '#test/harness/database/databases.ts'
import { cannedEnvironment } from './canned-service.ts'
import { createCompletionTarget, saturate } from './completion-load.ts'
import { startFixedUpstream } from './fixed-upstream.ts'
import { exitWithVerdict, median, report } from './report.ts'
import {
  apiKey,
  npmStartArguments,
  processorMicroseconds,
  proportionalMegabytes,
  type RunningServer,
  start,
} from './servers.ts'

/**
 * Compares services with one, two and four workers: their rates, and the processor time per request, which does not depend on other
 * load. If that time is the same with four workers as with one, four cores give four times the rate.
 */
const connections = 64
const rounds = Number(process.env.ROUNDS ?? 5)
const ms = Number(process.env.MS ?? 2000)
/** The time in which V8 compiles the hot code, separately in each worker. */
const warmMs = Number(process.env.WARM_MS ?? 20_000)
const workerCounts = [1, 2, 4]
const managementKey = `sb-v1-${'c'.repeat(64)}`
const completionRequest = {
  model: 'canned/model',
  messages: [{ role: 'user', content: 'Write me a story of a signal box. '.repeat(8) }],
}

type Load = { url: string; key: string; connections: number; ms: number }

function startHelper(role: 'clients' | 'upstream') {
  return fork(fileURLToPath(import.meta.url), [role])
}

async function measure(): Promise<void> {
  const upstream = startHelper('upstream')
  const [upstreamUrl] = (await once(upstream, 'message')) as [string]
  const clients = [startHelper('clients'), startHelper('clients')]
  const cores = availableParallelism()
  for (const kind of process.env.TEST_DATABASE_URL ? (['sqlite', 'postgres'] as const) : (['sqlite'] as const)) {
    const folder = mkdtempSync(join(tmpdir(), 'signalbox-workers-'))
    const stores = await Promise.all(workerCounts.map(() => newEmptyTestStore(kind)))
    const services: RunningServer[] = []
    try {
      console.log(`\n${kind}; ${cores} cores, of which others used ${loadavg()[0]!.toFixed(1)} in the last minute\n`)
      for (const [at, count] of workerCounts.entries())
        services.push(await startService(count, stores[at]!, folder, upstreamUrl))
      await warmUp(services, apiKey, clients, warmMs)
      await compare(services, apiKey, clients, 'JSON requests a second')
      const limited = await Promise.all(services.map(({ url }) => createLimitedKey(url)))
      // A shorter time is enough, because most of the code is compiled by now.
      await warmUp(services, limited, clients, warmMs / 4)
      await compare(services, limited, clients, 'the same with a limit in USD')
      measureMemory(services)
    } finally {
      await Promise.all(services.map(({ stop }) => stop()))
      await Promise.all(stores.map(({ remove }) => remove()))
      rmSync(folder, { recursive: true, force: true })
    }
  }
  upstream.kill()
  for (const client of clients) client.kill()
  exitWithVerdict()
}

function startService(
  workers: number,
  { settings }: TestStore,
  folder: string,
  upstream: string,
): Promise<RunningServer> {
  const environment = {
    ...cannedEnvironment(folder, upstream, { providers: ['canned'] }),
    WORKERS: String(workers),
    DATA_DIR: settings.data_dir,
    ...(settings.database_url && { DATABASE_URL: settings.database_url }),
    BOOTSTRAP_MANAGEMENT_KEY: managementKey,
  }
  return start(npmStartArguments(), environment, openSync(join(folder, `log${workers}`), 'w'))
}

async function createLimitedKey(url: string): Promise<string> {
  const headers = { authorization: `Bearer ${managementKey}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ name: 'limited', limit: 500_000 })
  const response = await fetch(`${url}/keys`, { method: 'POST', headers, body })
  return ((await response.json()) as { key: string }).key
}

async function warmUp(
  services: RunningServer[],
  keys: string | string[],
  clients: ReturnType<typeof startHelper>[],
  ms: number,
): Promise<void> {
  for (const [at, { url }] of services.entries()) {
    const key = typeof keys === 'string' ? keys : keys[at]!
    const load = { url, key, connections: connections / clients.length, ms: ms * workerCounts[at]! }
    const { refused } = await sendLoad(clients, load)
    if (refused > 0) report(`refused while ${workerCounts[at]} warmed up`, String(refused), { text: '0', isMet: false })
  }
}

/** Measures the services one after the other in each round, so that other load of the machine affects all. */
async function compare(
  services: RunningServer[],
  keys: string | string[],
  clients: ReturnType<typeof startHelper>[],
  what: string,
) {
  const rates = services.map((): number[] => [])
  const costs = services.map((): number[] => [])
  const usedCores = services.map((): number[] => [])
  const primaryCosts = services.map((): number[] => [])
  const refusals = services.map(() => 0)
  for (let round = -1; round < rounds; round++) {
    for (const [at, { url, pid }] of services.entries()) {
      const key = typeof keys === 'string' ? keys : keys[at]!
      const [before, primaryBefore] = [processorTime(pid), processorMicroseconds(pid)]
      const startedAt = performance.now()
      const { rate, refused } = await sendLoad(clients, { url, key, connections: connections / clients.length, ms })
      const tookMs = performance.now() - startedAt
      const spent = processorTime(pid) - before
      refusals[at]! += refused
      // The first round warms up.
      if (round < 0) continue
      rates[at]!.push(rate)
      const requests = rate * (tookMs / 1000)
      costs[at]!.push(spent / requests)
      primaryCosts[at]!.push((processorMicroseconds(pid) - primaryBefore) / requests)
      usedCores[at]!.push(spent / 1000 / tookMs)
    }
  }
  for (const [at, count] of workerCounts.entries()) {
    const ratio = median(rates[at]!.map((rate, round) => rate / rates[0]![round]!))
    // The possible rate relative to one worker, if each worker had a core.
    const possibleFactor = (count * median(costs[0]!)) / median(costs[at]!)
    const expectedFactor = { 1: 1, 2: 1.8, 4: 3.2 }[count]!
    const figures = `${median(rates[at]!).toFixed(0)}/s, ${ratio.toFixed(2)} of one; ${median(usedCores[at]!).toFixed(1)} cores`
    report(`${what}, workers: ${count}`, figures)
    report('  refused', String(refusals[at]), { text: '0', isMet: refusals[at] === 0 })
    if (count > 1) report('  of that, the primary', `${median(primaryCosts[at]!).toFixed(0)} µs`)
    report('  requests for each second of processor time', (1e6 / median(costs[at]!)).toFixed(0))
    report(
      '  processor time of each, and possible rate on as many free cores',
      `${median(costs[at]!).toFixed(0)} µs, ${possibleFactor.toFixed(2)} of one`,
      {
        text: `>= ${expectedFactor}`,
        isMet: possibleFactor >= expectedFactor,
      },
    )
  }
}

type LoadResult = Pick<Awaited<ReturnType<typeof saturate>>, 'rate' | 'refused'>

async function sendLoad(clients: ReturnType<typeof startHelper>[], load: Load): Promise<LoadResult> {
  const responses = await Promise.all(
    clients.map(async (client) => {
      const result = once(client, 'message')
      client.send(load)
      return (await result)[0] as LoadResult
    }),
  )
  const sum = (field: keyof LoadResult) => responses.reduce((total, response) => total + response[field], 0)
  return { rate: sum('rate'), refused: sum('refused') }
}

const childrenOf = (pid: number) => {
  const all = execFileSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n')
  return all
    .map((line) => line.trim().split(/\s+/).map(Number))
    .flatMap(([child, parent]) => (parent === pid ? [child!] : []))
}

const processorTime = (pid: number) =>
  [pid, ...childrenOf(pid)].reduce((sum, process) => sum + (processorMicroseconds(process) || 0), 0)

function measureMemory(services: RunningServer[]): void {
  for (const [at, { pid }] of services.entries()) {
    if (workerCounts[at]! > 1)
      report(`memory of the primary, workers: ${workerCounts[at]}`, `${proportionalMegabytes(pid).toFixed(0)} MB`)
  }
  const megabytes = services.map(({ pid }) =>
    [pid, ...childrenOf(pid)].reduce((sum, process) => sum + proportionalMegabytes(process), 0),
  )
  for (const [at, count] of workerCounts.entries())
    report(`memory after that, workers: ${count}`, `${megabytes[at]!.toFixed(0)} MB`)
  const perWorker = (megabytes.at(-1)! - megabytes.at(-2)!) / (workerCounts.at(-1)! - workerCounts.at(-2)!)
  report('memory of each additional worker', `${perWorker.toFixed(0)} MB`)
}

if (process.argv[2] === 'clients') {
  process.on('message', async ({ url, key, ...load }: Load) => {
    process.send!(await saturate(createCompletionTarget(url, key, completionRequest), load))
  })
} else if (process.argv[2] === 'upstream') {
  process.send!((await startFixedUpstream()).url)
} else await measure()
