import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import pg from 'pg'
import { newEmptyTestStore, type TestStore } from '../../harness/database/databases.ts'
import { startTcpProxy } from '../../harness/database/tcp-proxy.ts'
import { apiKey, askForWords, managementKey, startPriced } from '../../harness/service/load/priced-servers.ts'
import { noPrometheus, type Prometheus, startPrometheus } from '../../harness/service/prometheus.ts'
import { type ServerProcess, startProcess } from '../../harness/service/server-process.ts'
import { until } from '../../harness/until.ts'

const skip = noPrometheus || (process.env.TEST_DATABASE_URL ? false : 'TEST_DATABASE_URL is not set')

/** A machine that is loaded ten times over takes longer than the promised minute; the figure is printed. */
const patienceMs = 240_000

const metricsEnv = { METRICS_PORT: '0', LOG_FORMAT: 'json' }
const metricsOf = (server: ServerProcess) => until(() => /"url":"(http:\S+?\/metrics)"/.exec(server.err())?.[1])

/** Causes a fault, and waits until all of these fire. */
async function fires(prometheus: Prometheus, alerts: string[], cause: () => Promise<unknown>): Promise<void> {
  const before = await prometheus.firing()
  for (const alert of alerts) assert.ok(!before.includes(alert), `${alert} fires before its fault`)
  await cause()
  const causedAt = performance.now()
  const remaining = new Set(alerts)
  await until(async () => {
    for (const alert of await prometheus.firing()) {
      if (remaining.delete(alert)) console.log(`${alert}: ${((performance.now() - causedAt) / 1000).toFixed(1)} s`)
    }
    return remaining.size === 0
  }, patienceMs).catch((error) => {
    throw new Error(`${[...remaining]}: ${error.message}`)
  })
}

async function statement(url: string, ...texts: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  for (const text of texts) await client.query(text)
  await client.end()
}

/** A server over the embedded store, with a model of an unavailable provider. */
async function startEmbedded(testStore: TestStore): Promise<ServerProcess> {
  const { data_dir } = testStore.settings
  const file = join(data_dir, 'absent.json')
  const absent = { name: 'Absent', protocol: 'openai-chat', base_url: 'http://127.0.0.1:9/v1', credentials: ['ABSENT'] }
  const endpoints = { absent: { model: 'm', prices: { prompt: 0, completion: 0 } } }
  const model = { name: 'Absent', created: '2026-01-01', context_length: 1000, endpoints }
  writeFileSync(file, JSON.stringify({ providers: { absent }, models: { 'absent/model': model } }))
  const keys = { BOOTSTRAP_MANAGEMENT_KEY: managementKey, BOOTSTRAP_API_KEY: apiKey }
  const server = startProcess({
    ...metricsEnv,
    ...keys,
    DATA_DIR: join(data_dir, 'data'),
    CATALOGUE_FILE: file,
    ABSENT: 'x',
  })
  await server.url
  return server
}

const askAbsent = async (url: string) => {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ model: 'absent/model', messages: [{ role: 'user', content: 'Hi' }] })
  return (await fetch(`${url}/chat/completions`, { method: 'POST', headers, body })).text()
}

/** Blocks reports for three seconds. */
async function holdReports(url: string, databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  await client.query('begin')
  await client.query('lock table usage_days, workspace_days in access exclusive mode')
  const release = async () => {
    await client.query('select pg_sleep(3)')
    await client.query('commit')
    await client.end()
  }
  const asking = fetch(`${url}/activity`, { headers: { authorization: `Bearer ${managementKey}` } })
  const [{ status }] = await Promise.all([asking, release()])
  assert.equal(status, 200)
}

test('each fault raises an alert in a real Prometheus with the shipped rules', { skip }, async () => {
  await using stack = new AsyncDisposableStack()
  const places = await Promise.all([
    newEmptyTestStore('postgres'),
    newEmptyTestStore('postgres'),
    newEmptyTestStore('sqlite'),
  ])
  for (const testStore of places) stack.defer(testStore.remove)
  const [cutPlace, otherPlace, embeddedPlace] = places
  const proxy = stack.use(await startTcpProxy(cutPlace.settings.database_url!))
  const [[cutOff], [other], embedded] = await Promise.all([
    startPriced(cutPlace, 1, proxy.url, metricsEnv),
    startPriced(otherPlace, 1, undefined, { ...metricsEnv, DRAIN_MS: '600000' }),
    startEmbedded(embeddedPlace),
  ])
  for (const server of [cutOff!, other!, embedded]) stack.use(server)
  const targets = {
    'cut-off': await metricsOf(cutOff!),
    other: await metricsOf(other!),
    embedded: await metricsOf(embedded),
  }
  const prometheus = stack.use(await startPrometheus(targets))
  // Sums over a server have no other label.
  const hostOf = { other: new URL(targets.other).host, embedded: new URL(targets.embedded).host }
  const [cutUrl, otherUrl, embeddedUrl] = [await cutOff!.url, await other!.url, await embedded.url]
  const otherDatabase = otherPlace.settings.database_url!

  const databaseIsAway = fires(
    prometheus,
    [
      'SignalboxDatabaseAway cut-off',
      'SignalboxDatabaseFailing cut-off',
      'SignalboxDatabaseConnectionsBreak cut-off',
      'SignalboxLedgerSpilled cut-off',
    ],
    async () => {
      const pending = askForWords(cutUrl, 5, 5, false, apiKey, 'demo:slow=2000')
      await new Promise((resolve) => setTimeout(resolve, 1000))
      proxy.turn('cut')
      assert.equal((await pending).status, 200)
    },
  )
  const otherFails = async () => {
    await fires(prometheus, [`SignalboxActivitySlow ${hostOf.other}`], () => holdReports(otherUrl, otherDatabase))
    await fires(prometheus, ['SignalboxDatabaseReadOnly other'], () => makeReadOnly(otherDatabase))
    await fires(prometheus, ['SignalboxLeaving other'], async () => other!.signal('SIGTERM'))
  }
  const embeddedFails = async () => {
    await fires(prometheus, [`SignalboxCircuitOpen ${hostOf.embedded}`], async () => {
      for (let one = 0; one < 12; one++) await askAbsent(embeddedUrl)
    })
    await fires(prometheus, ['SignalboxUnmetered embedded'], async () => {
      refuseGenerations(join(embeddedPlace.settings.data_dir, 'data', 'signalbox.db'))
      await askForWords(embeddedUrl, 1)
    })
    await fires(prometheus, ['SignalboxDown embedded'], async () => embedded.signal('SIGKILL'))
  }
  await Promise.all([databaseIsAway, otherFails(), embeddedFails()])
})

function makeReadOnly(url: string): Promise<void> {
  const name = new URL(url).pathname.slice(1)
  return statement(
    url,
    `alter database ${name} set default_transaction_read_only = on`,
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}' and pid <> pg_backend_pid()`,
  )
}

function refuseGenerations(file: string): void {
  // The server can be writing.
  const database = new DatabaseSync(file, { timeout: patienceMs })
  database.exec(
    `create trigger broken before insert on generations begin select raise(abort, 'constraint failed'); end`,
  )
  database.close()
}
