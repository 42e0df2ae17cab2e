import { mkdirSync } from 'node:fs'
import pg from 'pg'
import pino from 'pino'
import { startService } from '#app/start.ts'
import { Settings } from '#platform/config/settings.ts'
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
 * A million metered requests in the ledger, or `REQUESTS`: what they cost to write, to read and to prune. Exits 1 on a missed
 * target. `KEEP=/tmp/ledger REQUESTS=10000000` fills a database once and reads it each time; `ONLY=sqlite` leaves the other out.
 * `WRITTEN=3` writes the newest three days only, and copies them into the others.
 */
const requests = Number(process.env.REQUESTS ?? 1_000_000)
const daysWritten = Number(process.env.WRITTEN ?? daysFilled)
/** A prefix of folders in which filled databases are stored and reused. */
const keepFolder = process.env.KEEP
const managementKey = `sb-v1-${'a'.repeat(64)}`
const dayMs = 86_400_000
const now = Date.now()

const kinds = process.env.TEST_DATABASE_URL ? (['sqlite', 'postgres'] as const) : (['sqlite'] as const)
for (const kind of kinds.filter((one) => !process.env.ONLY || one === process.env.ONLY)) {
  console.log(`\n${requests.toLocaleString('en')} metered requests, ${kind}\n`)
  const testStore = await placeFor(kind)
  try {
    await prepare(testStore.settings)
    await read(testStore.settings)
    await readRollups(testStore.settings)
    if (!keepFolder) await prune(testStore.settings)
  } finally {
    if (!keepFolder) await testStore.remove()
  }
}
exitWithVerdict()

type Place = Awaited<ReturnType<typeof newTestStore>>['settings']

function service(settings: Place) {
  const config = Settings.parse({ port: 0, bootstrap_management_key: managementKey, ...settings })
  const log = pino({ level: 'silent' })
  return startService({ config, settingSources: {}, log, now: Date.now, newId: newUuid, variable: () => undefined })
}

/** Reuses a filled database if it was stored. */
async function placeFor(kind: 'sqlite' | 'postgres'): Promise<Awaited<ReturnType<typeof newTestStore>>> {
  if (!keepFolder) return newTestStore(kind)
  const data_dir = `${keepFolder}-${kind}`
  mkdirSync(data_dir, { recursive: true })
  return {
    settings: { data_dir, database_url: kind === 'postgres' ? await keptUrl() : undefined },
    remove: async () => {},
  }
}

async function keptUrl(): Promise<string> {
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

async function prepare(settings: Place): Promise<void> {
  await (await service(settings)).stop()
  const db = await openDb(settings)
  const { id } = await db.query.selectFrom('organizations').select('id').executeTakeFirstOrThrow()
  const there = await db.query.selectFrom('generations').select('id').limit(1).executeTakeFirst()
  if (!there) {
    const workspace = await db.query.selectFrom('workspaces').select('id').executeTakeFirstOrThrow()
    const workspaces = [workspace.id, 'w1', 'w2', 'w3']
    const filling = { organizationId: id, requests, now, workspaces }
    const perSecond = await fill(db, filling, keepFolder ? 5000 : 500, daysWritten)
    report('requests written a second', perSecond.toFixed(0), { text: '>= 5,000', met: perSecond >= 5000 })
    if (daysWritten < daysFilled) await copyDays(settings, { now, filled: daysWritten, days: daysFilled })
    else if (db.kind === 'postgres') await sql`vacuum analyze`.execute(db.query)
  }
  await db.close()
}

async function read(settings: Place): Promise<void> {
  const running = await service(settings)
  const asking = (key: string) => async (path: string) => {
    const started = performance.now()
    const used = process.cpuUsage()
    const answer = await fetch(running.url + path, { headers: { authorization: `Bearer ${key}` } })
    const text = await answer.text()
    const [ms, { user, system }] = [performance.now() - started, process.cpuUsage(used)]
    if (answer.status !== 200 || text.length < 20) throw new Error(`${path}: ${answer.status}`)
    return { ms, processorMs: (user + system) / 1000, next: JSON.parse(text).next_cursor ?? null }
  }
  const ask = asking(managementKey)
  const timed = async (path: string, boundMs: number) => {
    const times: number[] = []
    for (let round = 0; round < 15; round++) times.push((await ask(path)).ms)
    const ms = median(times)
    report(`GET ${path}`, `${ms.toFixed(1)} ms`, { text: `<= ${boundMs} ms`, met: ms <= boundMs })
  }
  await timed('/activity', 100)
  await timed('/models/signalbox/demo/endpoints', 5)
  await searchLedger('management key', ask, now)
  await searchLedger('API key', asking(await newApiKey(running.url)), now)
  await running.stop()
}

/** One that sees a quarter of all requests. */
async function newApiKey(url: string): Promise<string> {
  const headers = { authorization: `Bearer ${managementKey}`, 'content-type': 'application/json' }
  const answer = await fetch(`${url}/keys`, { method: 'POST', headers, body: JSON.stringify({ name: 'searches' }) })
  return ((await answer.json()) as { key: string }).key
}

/** Reports over the month, and over what an API key may ask for. */
async function readRollups(settings: Place): Promise<void> {
  const running = await service(settings)
  const [end, start] = [new Date(now), new Date(now - daysFilled * dayMs)].map((one) => one.toISOString())
  const ask = async (body: object) => {
    const started = performance.now()
    const used = process.cpuUsage()
    const answer = await fetch(`${running.url}/analytics/query`, {
      method: 'POST',
      headers: { authorization: `Bearer ${managementKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ time_range: { start, end }, ...body }),
    })
    const { data } = (await answer.json()) as { data?: { data: object[] } }
    if (!data?.data.length) throw new Error(`no rows for ${JSON.stringify(body)}`)
    const [ms, { user, system }] = [performance.now() - started, process.cpuUsage(used)]
    return { ms, processorMs: (user + system) / 1000, rows: data.data.length }
  }
  const timed = async (what: string, boundMs: number, body: object) => {
    const all: Awaited<ReturnType<typeof ask>>[] = []
    for (let round = 0; round < 15; round++) all.push(await ask(body))
    const [ms, processorMs] = (['ms', 'processorMs'] as const).map((name) =>
      median(all.map((figures) => figures[name])),
    )
    const figures = `${ms!.toFixed(1)} ms, processor ${processorMs!.toFixed(1)}`
    report(`${what} (${all[0]!.rows} rows)`, figures, { text: `<= ${boundMs} ms`, met: ms! <= boundMs })
  }
  const spent = ['request_count', 'total_usage', 'tokens_total', 'error_count']
  const byHour = { granularity: 'hour', dimensions: ['model'] }
  await timed('the month by hour and model', 200, { metrics: spent, ...byHour })
  await timed('… with a percentile', 200, { metrics: [...spent, 'latency_p95'], ...byHour })
  const three = ['latency_p50', 'latency_p95', 'generation_time_p95']
  await timed('… with three, of two distributions', 200, { metrics: [...spent, ...three], ...byHour })
  await timed('the month by day, model, provider', 100, {
    metrics: [...spent, 'latency_p50', 'latency_p95', 'throughput_p50'],
    granularity: 'day',
    dimensions: ['model', 'provider'],
  })
  await timed('the month by day and key', 200, { metrics: spent, granularity: 'day', dimensions: ['api_key_id'] })
  const one = [{ field: 'api_key_id', operator: 'eq', value: keys[3] }]
  await timed('the month of one key by hour', 100, {
    metrics: [...spent, 'latency_p95'],
    granularity: 'hour',
    filters: one,
  })
  await running.stop()
}

/** Half of all requests go, while somebody else asks for a row every few milliseconds. */
async function prune(settings: Place): Promise<void> {
  const db = await openDb(settings)
  const waits: number[] = []
  let pruning = true
  const asking = (async () => {
    while (pruning) {
      const started = performance.now()
      await db.query.selectFrom('workspaces').select('id').execute()
      waits.push(performance.now() - started)
      await new Promise((done) => setTimeout(done, 5))
    }
  })()
  const started = performance.now()
  const deleted = await pruneGenerations({ db }, now - 15 * dayMs)
  const perSecond = deleted / ((performance.now() - started) / 1000)
  pruning = false
  await asking
  await db.close()
  waits.sort((a, b) => a - b)
  report('requests pruned a second', `${perSecond.toFixed(0)} of ${deleted}`)
  const wait = waits[Math.floor(waits.length * 0.99)] ?? 0
  report('wait of others meanwhile, p99', `${wait.toFixed(1)} ms`, { text: '<= 100 ms', met: wait <= 100 })
}
