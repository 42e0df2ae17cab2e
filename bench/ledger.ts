import { mkdirSync } from 'node:fs'
import pg from 'pg'
import pino from 'pino'
import { startService } from '#app/start.ts'
import { Settings } from '#platform/config/settings.ts'
import { dayMs } from '#platform/core/clock.ts'
import { newUuid } from '#platform/core/id.ts'
import { sql } from '#platform/db/kysely.ts'
import { openDb } from '#platform/db/open.ts'
import { pruneGenerations } from '#spend/ledger/prune.ts'
import { newTestStore } from '#test/harness/database/databases.ts'
import { copyDays } from './ledger-copies.ts'
import { daysFilled, fill, keys } from './ledger-fill.ts'
import { searchLedger } from './ledger-searches.ts'
import { exitWithVerdict, median, report } from './report.ts'

/**
 * Measures writing, reading and pruning a ledger of a million requests, or `REQUESTS`. Exits with 1 if a target is missed.
 * `KEEP=/tmp/ledger REQUESTS=10000000` fills a database once and reuses it in later runs; `ONLY=sqlite` skips Postgres.
 * `WRITTEN=3` writes only the newest three days, and copies them to the other days.
 */
const requests = Number(process.env.REQUESTS ?? 1_000_000)
const daysWritten = Number(process.env.WRITTEN ?? daysFilled)
/** A prefix of folders in which filled databases are stored and reused. */
const keepFolder = process.env.KEEP
const managementKey = `sb-v1-${'a'.repeat(64)}`
const now = Date.now()

const kinds = process.env.TEST_DATABASE_URL ? (['sqlite', 'postgres'] as const) : (['sqlite'] as const)
for (const kind of kinds.filter((candidate) => !process.env.ONLY || candidate === process.env.ONLY)) {
  console.log(`\n${requests.toLocaleString('en')} metered requests, ${kind}\n`)
  const testStore = await openTestStore(kind)
  try {
    await fillStore(testStore.settings)
    await measureRequests(testStore.settings)
    await measureRollups(testStore.settings)
    if (!keepFolder) await measurePruning(testStore.settings)
  } finally {
    if (!keepFolder) await testStore.remove()
  }
}
exitWithVerdict()

type StoreSettings = Awaited<ReturnType<typeof newTestStore>>['settings']

function startServiceOn(settings: StoreSettings) {
  const config = Settings.parse({ port: 0, bootstrap_management_key: managementKey, ...settings })
  const log = pino({ level: 'silent' })
  return startService({ config, settingSources: {}, log, now: Date.now, newId: newUuid, variable: () => undefined })
}

/** Reuses a filled database if it was stored. */
async function openTestStore(kind: 'sqlite' | 'postgres'): Promise<Awaited<ReturnType<typeof newTestStore>>> {
  if (!keepFolder) return newTestStore(kind)
  const data_dir = `${keepFolder}-${kind}`
  mkdirSync(data_dir, { recursive: true })
  return {
    settings: { data_dir, database_url: kind === 'postgres' ? await createReusedDatabase() : undefined },
    remove: async () => {},
  }
}

async function createReusedDatabase(): Promise<string> {
  const url = new URL(process.env.TEST_DATABASE_URL!)
  const name = 'signalbox_bench_ledger'
  const client = new pg.Client({ connectionString: url.href })
  await client.connect()
  await client.query(`create database ${name}`).catch((error) => {
    if (error.code !== '42P04') throw error
  })
  await client.end()
  url.pathname = `/${name}`
  return url.href
}

async function fillStore(settings: StoreSettings): Promise<void> {
  await (await startServiceOn(settings)).stop()
  const db = await openDb(settings)
  const { id } = await db.query.selectFrom('organizations').select('id').executeTakeFirstOrThrow()
  const existing = await db.query.selectFrom('generations').select('id').limit(1).executeTakeFirst()
  if (!existing) {
    const workspace = await db.query.selectFrom('workspaces').select('id').executeTakeFirstOrThrow()
    const workspaces = [workspace.id, 'w1', 'w2', 'w3']
    const filling = { organizationId: id, requests, now, workspaces }
    const perSecond = await fill(db, filling, keepFolder ? 5000 : 500, daysWritten)
    report('requests written per second', perSecond.toFixed(0), { text: '>= 5,000', isMet: perSecond >= 5000 })
    if (daysWritten < daysFilled) await copyDays(settings, { now, filled: daysWritten, days: daysFilled })
    else if (db.kind === 'postgres') await sql`vacuum analyze`.execute(db.query)
  }
  await db.close()
}

async function measureRequests(settings: StoreSettings): Promise<void> {
  const running = await startServiceOn(settings)
  const requestWith = (key: string) => async (path: string) => {
    const startedAt = performance.now()
    const cpuBefore = process.cpuUsage()
    const response = await fetch(running.url + path, { headers: { authorization: `Bearer ${key}` } })
    const text = await response.text()
    const [ms, { user, system }] = [performance.now() - startedAt, process.cpuUsage(cpuBefore)]
    if (response.status !== 200 || text.length < 20) throw new Error(`${path}: ${response.status}`)
    return { ms, processorMs: (user + system) / 1000, next: JSON.parse(text).next_cursor ?? null }
  }
  const ask = requestWith(managementKey)
  const measure = async (path: string, boundMs: number) => {
    const times: number[] = []
    for (let round = 0; round < 15; round++) times.push((await ask(path)).ms)
    const ms = median(times)
    report(`GET ${path}`, `${ms.toFixed(1)} ms`, { text: `<= ${boundMs} ms`, isMet: ms <= boundMs })
  }
  await measure('/activity', 100)
  await measure('/models/signalbox/demo/endpoints', 5)
  await searchLedger('management key', ask, now)
  await searchLedger('API key', requestWith(await newApiKey(running.url)), now)
  await running.stop()
}

/** Creates an API key. Its workspace has a quarter of all requests. */
async function newApiKey(url: string): Promise<string> {
  const headers = { authorization: `Bearer ${managementKey}`, 'content-type': 'application/json' }
  const response = await fetch(`${url}/keys`, { method: 'POST', headers, body: JSON.stringify({ name: 'searches' }) })
  return ((await response.json()) as { key: string }).key
}

/** Measures analytics queries over a month. */
async function measureRollups(settings: StoreSettings): Promise<void> {
  const running = await startServiceOn(settings)
  const end = new Date(now).toISOString()
  const start = new Date(now - daysFilled * dayMs).toISOString()
  const ask = async (body: object) => {
    const startedAt = performance.now()
    const cpuBefore = process.cpuUsage()
    const response = await fetch(`${running.url}/analytics/query`, {
      method: 'POST',
      headers: { authorization: `Bearer ${managementKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ time_range: { start, end }, ...body }),
    })
    const { data } = (await response.json()) as { data?: { data: object[] } }
    if (!data?.data.length) throw new Error(`no rows for ${JSON.stringify(body)}`)
    const [ms, { user, system }] = [performance.now() - startedAt, process.cpuUsage(cpuBefore)]
    return { ms, processorMs: (user + system) / 1000, rows: data.data.length }
  }
  const measure = async (label: string, boundMs: number, body: object) => {
    const all: Awaited<ReturnType<typeof ask>>[] = []
    for (let round = 0; round < 15; round++) all.push(await ask(body))
    const [ms, processorMs] = (['ms', 'processorMs'] as const).map((name) =>
      median(all.map((figures) => figures[name])),
    )
    const figures = `${ms!.toFixed(1)} ms, processor ${processorMs!.toFixed(1)}`
    report(`${label} (${all[0]!.rows} rows)`, figures, { text: `<= ${boundMs} ms`, isMet: ms! <= boundMs })
  }
  const sums = ['request_count', 'total_usage', 'tokens_total', 'error_count']
  const byHour = { granularity: 'hour', dimensions: ['model'] }
  await measure('the month by hour and model', 200, { metrics: sums, ...byHour })
  await measure('… with a percentile', 200, { metrics: [...sums, 'latency_p95'], ...byHour })
  const percentiles = ['latency_p50', 'latency_p95', 'generation_time_p95']
  await measure('… with three, of two distributions', 200, { metrics: [...sums, ...percentiles], ...byHour })
  await measure('the month by day, model, provider', 100, {
    metrics: [...sums, 'latency_p50', 'latency_p95', 'throughput_p50'],
    granularity: 'day',
    dimensions: ['model', 'provider'],
  })
  await measure('the month by day and key', 200, { metrics: sums, granularity: 'day', dimensions: ['api_key_id'] })
  const filterByKey = [{ field: 'api_key_id', operator: 'eq', value: keys[3] }]
  await measure('the month of one key by hour', 100, {
    metrics: [...sums, 'latency_p95'],
    granularity: 'hour',
    filters: filterByKey,
  })
  await running.stop()
}

/** Measures pruning half of all requests, and how long another query waits meanwhile. */
async function measurePruning(settings: StoreSettings): Promise<void> {
  const db = await openDb(settings)
  const waits: number[] = []
  let isPruning = true
  const otherQueries = (async () => {
    while (isPruning) {
      const startedAt = performance.now()
      await db.query.selectFrom('workspaces').select('id').execute()
      waits.push(performance.now() - startedAt)
      await new Promise((done) => setTimeout(done, 5))
    }
  })()
  const startedAt = performance.now()
  const deleted = await pruneGenerations({ db }, now - 15 * dayMs)
  const perSecond = deleted / ((performance.now() - startedAt) / 1000)
  isPruning = false
  await otherQueries
  await db.close()
  waits.sort((a, b) => a - b)
  report('requests pruned per second', `${perSecond.toFixed(0)} of ${deleted}`)
  const wait = waits[Math.floor(waits.length * 0.99)] ?? 0
  report('wait of other queries meanwhile, p99', `${wait.toFixed(1)} ms`, { text: '<= 100 ms', isMet: wait <= 100 })
}
