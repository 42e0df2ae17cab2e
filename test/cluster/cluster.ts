import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { apiKey, managementKey } from '#test/harness/service/load/priced-servers.ts'
import { type ServerProcess, startProcess } from '#test/harness/service/server-process.ts'
import { startBalancer } from './balancer.ts'
import { frontAddress, hostCount, hostOf, middle } from './network.ts'
import { startPostgres } from './postgres.ts'
import { type Provider, startProvider, usdOfToken } from './provider.ts'

const ports = { balancer: 8000, database: 5432, server: 8080 }

/** Three servers, each on its host, with a balancer, a database and a provider between them. */
export type Cluster = AsyncDisposable & {
  /** Through the balancer. */
  url: string
  urlOf: (host: number) => string
  provider: Provider
  start: (host: number, env?: Record<string, string>) => Promise<ServerProcess>
  server: (host: number) => ServerProcess
  rows: <Row extends object>(statement: string, values?: unknown[]) => Promise<Row[]>
}

export async function startCluster(env: Record<string, string> = {}, skewMs: number[] = []): Promise<Cluster> {
  await using opened = new AsyncDisposableStack()
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-cluster-'))
  opened.defer(() => rmSync(folder, { recursive: true, force: true }))
  const postgres = opened.use(startPostgres(middle.database, ports.database))
  const provider = opened.use(await startProvider(middle.front))
  const database = new pg.Client({ connectionString: postgres.url('postgres') })
  await database.connect()
  opened.defer(() => database.end())
  const shared = {
    PORT: String(ports.server),
    DATABASE_URL: postgres.url('postgres'),
    ENCRYPTION_KEY_FILE: writeFile(folder, 'encryption.key', randomBytes(32).toString('hex')),
    CATALOGUE_FILE: writeFile(folder, 'catalogue.json', JSON.stringify(steadyCatalogue(provider.url))),
    BOOTSTRAP_MANAGEMENT_KEY: managementKey,
    BOOTSTRAP_API_KEY: apiKey,
    ...env,
  }
  const servers = new Map<number, ServerProcess>()
  opened.defer(async () => {
    for (const server of servers.values()) await server[Symbol.asyncDispose]()
  })
  const start: Cluster['start'] = async (host, more = {}) => {
    const data = join(folder, `host${host}`)
    mkdirSync(data, { recursive: true })
    const skew = skewMs[host] ? { CLOCK_SKEW_MS: String(skewMs[host]), NODE_OPTIONS: `--import=${skewedClock}` } : {}
    const through = ['ip', 'netns', 'exec', hostOf(process.env.CLUSTER_NETWORK ?? '', host)]
    const own = { HOST: frontAddress(host), DATA_DIR: data }
    const server = startProcess({ ...shared, ...own, ...skew, ...more }, through)
    servers.set(host, server)
    await server.url
    return server
  }
  const hosts = Array.from({ length: hostCount }, (_, host) => host)
  for (const host of hosts) await start(host)
  opened.use(
    await startBalancer(
      middle.front,
      ports.balancer,
      hosts.map((host) => `${frontAddress(host)}:${ports.server}`),
    ),
  )
  const all = opened.move()
  return {
    url: `http://${middle.front}:${ports.balancer}/api/v1`,
    urlOf: (host) => `http://${frontAddress(host)}:${ports.server}/api/v1`,
    provider,
    start,
    server: (host) => servers.get(host)!,
    rows: async (statement, values) => (await database.query(statement, values)).rows,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

// As an address: spaces in a path would end the option.
const skewedClock = new URL('skewed-clock.ts', import.meta.url).href

/** A catalogue in which each token of a response costs `usdOfToken`, and a token of a prompt nothing. */
export const steadyCatalogue = (base_url: string) => ({
  providers: { steady: { name: 'Steady', base_url, protocol: 'openai-chat' } },
  models: {
    'test/steady': {
      name: 'Steady',
      context_length: 100_000,
      created: '2026-01-01',
      endpoints: { steady: { model: 'steady', prices: { prompt: 0, completion: usdOfToken * 1e6 } } },
    },
  },
})

function writeFile(folder: string, name: string, text: string): string {
  const file = join(folder, name)
  writeFileSync(file, text, { mode: 0o600 })
  return file
}
