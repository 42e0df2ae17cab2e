import assert from 'node:assert/strict'
import { randomBytes, randomInt } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { startBalancer } from '../cluster/balancer.ts'
import { startProvider } from '../cluster/provider.ts'
import { startTraffic } from '../cluster/traffic.ts'
import { newEmptyPlace } from '../harness/database/databases.ts'
import { apiKey } from '../harness/service/priced-servers.ts'
import { type ServerProcess, startProcess } from '../harness/service/server-process.ts'

process.env.PATH += ':/usr/sbin'
const hasBalancer = process.env.PATH?.split(':').some((folder) => existsSync(join(folder, 'haproxy')))
const skip = !hasBalancer
  ? 'haproxy is not installed'
  : process.env.TEST_DATABASE_URL
    ? false
    : 'TEST_DATABASE_URL is not set'

const catalogueOf = (base_url: string) => ({
  providers: { steady: { name: 'Steady', base_url, protocol: 'openai-chat' } },
  models: {
    'test/steady': {
      name: 'Steady',
      context_length: 100_000,
      created: '2026-01-01',
      endpoints: { steady: { model: 'steady', prices: { prompt: 0, completion: 1 } } },
    },
  },
})

/** Addresses of this host that no other test has, with a port that no connection is made from. */
function newAddresses() {
  const [part, port] = [`127.${randomInt(64, 255)}.${randomInt(255)}`, randomInt(20_000, 30_000)]
  return {
    balancer: { host: `${part}.9`, port },
    servers: [1, 2, 3].map((last) => ({ host: `${part}.${last}`, port })),
  }
}

test('three servers behind haproxy are restarted in turn at 100 requests a second: no client notices', {
  skip,
}, async () => {
  await using opened = new AsyncDisposableStack()
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-rolling-'))
  opened.defer(() => rmSync(folder, { recursive: true, force: true }))
  const place = await newEmptyPlace('postgres')
  opened.defer(place.remove)
  const provider = opened.use(await startProvider('127.0.0.1'))
  const { balancer, servers } = newAddresses()
  const write = (name: string, text: string) => {
    writeFileSync(join(folder, name), text, { mode: 0o600 })
    return join(folder, name)
  }
  const env = {
    DATABASE_URL: place.settings.database_url!,
    ENCRYPTION_KEY_FILE: write('encryption.key', randomBytes(32).toString('hex')),
    CATALOGUE_FILE: write('catalogue.json', JSON.stringify(catalogueOf(provider.url))),
    BOOTSTRAP_API_KEY: apiKey,
    DRAIN_MS: '6000',
    SHUTDOWN_GRACE_MS: '60000',
  }
  const running: ServerProcess[] = []
  opened.defer(async () => {
    for (const server of running) await server[Symbol.asyncDispose]()
  })
  const start = async (at: number) => {
    const data = join(folder, `server${at}`)
    mkdirSync(data, { recursive: true })
    running[at] = startProcess({ ...env, HOST: servers[at]!.host, PORT: String(servers[at]!.port), DATA_DIR: data })
    await running[at].url
  }
  for (const at of servers.keys()) await start(at)
  const addresses = servers.map(({ host, port }) => `${host}:${port}`)
  opened.use(await startBalancer(balancer.host, balancer.port, addresses))
  const url = `http://${balancer.host}:${balancer.port}/api/v1`
  const isServing = async (at: number) => {
    while ((await fetch(`${url}/health`)).headers.get('x-served-by') !== `s${at}`) await sleep(50)
  }
  for (const at of servers.keys()) await isServing(at)

  const wish = (at: number) => (at % 10 === 0 ? { tokens: 20, ms: 8000, stream: true } : { tokens: 5, ms: 20 })
  await using traffic = startTraffic(url, 100, wish)
  await sleep(2000)
  for (const at of servers.keys()) {
    running[at]!.signal('SIGTERM')
    assert.equal(await running[at]!.ended, 0, running[at]!.err())
    await start(at)
    await isServing(at)
  }
  const ended = await traffic.stop()
  const broken = ended.filter(({ whole }) => !whole).map(({ status, server, text }) => ({ status, server, text }))
  assert.deepEqual(broken.slice(0, 3), [], `${broken.length} of ${ended.length} requests went wrong`)
  assert.ok(ended.length > 1000, `only ${ended.length} requests were made`)
  console.log(`${ended.length} requests, ${broken.length} went wrong`)
})
