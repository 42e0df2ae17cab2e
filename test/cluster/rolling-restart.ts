import assert from 'node:assert/strict'
import { randomBytes, randomInt } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { apiKey } from '../harness/service/load/priced-servers.ts'
import { type ServerProcess, startProcess } from '../harness/service/server-process.ts'
import { until } from '../harness/until.ts'
import { steadyCatalogue } from './cluster.ts'
import { type ProxyProgram, startDocumentedProxy } from './documented-proxy.ts'
import { startProvider } from './provider.ts'
import { type Ended, startTraffic } from './traffic.ts'

type RollingRestart = {
  program: ProxyProgram
  databaseUrl: string
  perSecond: number
  /** Settings of both servers. */
  env: Record<string, string>
  /** The time to wait after a restart, beyond the moment at which the proxy uses the server again. */
  pauseMs?: number
  /** The most connections that are reset while a server closes its socket: the proxy answers 502. */
  maxResets?: number
}

/** Addresses of this host that no other test has, with a port that no connection is made from. */
function newAddresses() {
  const [part, port] = [`127.${randomInt(64, 255)}.${randomInt(255)}`, randomInt(20_000, 30_000)]
  return { proxy: `${part}.9:${port}`, servers: [`${part}.1:${port}`, `${part}.2:${port}`] as const }
}

/** Two servers on one database, by their addresses. @returns a function that starts one of them. */
async function preparedServers(stack: AsyncDisposableStack, { databaseUrl, env }: RollingRestart) {
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-rolling-'))
  stack.defer(() => rmSync(folder, { recursive: true, force: true }))
  const provider = stack.use(await startProvider('127.0.0.1'))
  const write = (name: string, text: string) => {
    writeFileSync(join(folder, name), text, { mode: 0o600 })
    return join(folder, name)
  }
  const shared = {
    DATABASE_URL: databaseUrl,
    ENCRYPTION_KEY_FILE: write('encryption.key', randomBytes(32).toString('hex')),
    CATALOGUE_FILE: write('catalogue.json', JSON.stringify(steadyCatalogue(provider.url))),
    BOOTSTRAP_API_KEY: apiKey,
    ...env,
  }
  return async (address: string): Promise<ServerProcess> => {
    const [host = '', port] = address.split(':')
    const data = join(folder, host)
    mkdirSync(data, { recursive: true })
    const server = stack.use(startProcess({ ...shared, HOST: host, PORT: port, DATA_DIR: data }))
    await server.url
    return server
  }
}

/**
 * Restarts two servers behind a proxy, one after the other, under steady traffic of whole responses and streams.
 * @throws AssertionError if a client does not get a whole response, with the exception of `maxResets`.
 */
export async function assertUnnoticedRestarts(options: RollingRestart): Promise<void> {
  await using stack = new AsyncDisposableStack()
  const startServer = await preparedServers(stack, options)
  const started: ServerProcess[] = []
  const start = async (address: string) => {
    const server = await startServer(address)
    started.push(server)
    return server
  }
  const { proxy: address, servers } = newAddresses()
  const running = new Map<string, ServerProcess>()
  for (const server of servers) running.set(server, await start(server))
  const proxy = stack.use(await startDocumentedProxy(options.program, address, servers))
  for (const server of servers) await proxy.untilServedBy(server)

  const wish = (at: number) => (at % 10 === 0 ? { tokens: 20, ms: 8000, stream: true } : { tokens: 5, ms: 20 })
  await using traffic = startTraffic(proxy.url, options.perSecond, wish)
  await sleep(2000)
  for (const server of servers) {
    running.get(server)!.signal('SIGTERM')
    assert.equal(await running.get(server)!.ended, 0, running.get(server)!.err())
    running.set(server, await start(server))
    await until(async () => (await fetch(`http://${server}/api/v1/health/ready`)).ok)
    await sleep(options.pauseMs ?? 0)
    await proxy.untilServedBy(server)
  }
  const ended = await traffic.stop()
  const broken = ended.filter(({ whole }) => !whole)
  console.log(`${options.program}: ${ended.length} requests, ${broken.length} failed`)
  if (broken.length > 0) {
    console.log(summaryOf(broken))
    console.log(proxy.log(), ...started.map(rareLines))
  }
  const areResets = broken.length <= (options.maxResets ?? 0) && broken.every(({ status }) => status === 502)
  if (!areResets) assert.deepEqual(broken.slice(0, 3), [], `${broken.length} of ${ended.length} requests failed`)
  assert.ok(ended.length > options.perSecond * 10, `only ${ended.length} requests were made`)
}

/** The end of a server's log, without the line of each completion. */
function rareLines(server: ServerProcess): string {
  const lines = server.err().split('\n')
  return lines
    .filter((line) => !line.includes('"msg":"completion"'))
    .join('\n')
    .slice(-10_000)
}

/** Lists the failed requests by status and text, with the number of each and the time between the first and the last. */
function summaryOf(broken: Ended[]): string {
  const groups = Map.groupBy(broken, ({ status, text }) => `${status ?? 'no response'} ${text.slice(0, 200)}`)
  const lines = [...groups].map(([kind, group]) => {
    const times = group.map(({ at }) => at)
    return `${group.length} × ${kind} within ${Math.max(...times) - Math.min(...times)} ms`
  })
  return lines.join('\n')
}
