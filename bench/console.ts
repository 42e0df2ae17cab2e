import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openDb } from '#platform/db/open.ts'
import { startBrowser } from '#test/harness/browser/chromium.ts'
import { signedInPage } from '#test/harness/browser/console.ts'
import { busyHour } from './console-hour.ts'
import { measurePlane } from './console-plane.ts'
import { slowNetwork } from './console-slow.ts'
import { fill, keys as requestKeys } from './ledger-fill.ts'
import { exitWithVerdict, median, report } from './report.ts'
import { asNpmStarts, start } from './servers.ts'

/**
 * Measures the size of the console, its load time, a long log, a busy hour, and its effect on requests.
 * Wants Debian's chromium. Names choose what is measured (`-- paint hour`). `REQUESTS` in the ledger (1,000,000), `ROWS`
 * scrolled through (100,000). The requests of an hour at 50 a second, `LIVE` (180,000), come ten times as fast: `RATE` (500).
 * `RATE=50` takes the hour. `KEYS` (5,000) are in the workspace.
 */
const requests = Number(process.env.REQUESTS ?? 1_000_000)
const rowsScrolled = Number(process.env.ROWS ?? 100_000)
const keyCount = Number(process.env.KEYS ?? 5_000)
const live = { requests: Number(process.env.LIVE ?? 180_000), perSecond: Number(process.env.RATE ?? 500) }
const parts = ['weight', 'memory', 'plane', 'paint', 'slow', 'filter', 'scroll', 'hour']
const named = process.argv.slice(2)
const unknown = named.find((name) => !parts.includes(name))
if (unknown) throw new Error(`Unknown part ${unknown}. Use ${parts.join(', ')}.`)
const isWanted = (...some: string[]) => named.length === 0 || some.some((name) => named.includes(name))
const managementKey = `sb-v1-${'a'.repeat(64)}`
const apiKey = `sb-v1-${'b'.repeat(64)}`
const folder = mkdtempSync(join(tmpdir(), 'signalbox-bench-console-'))
const dataDir = join(folder, 'data')

const startServer = (environment: Record<string, string> = {}) =>
  start(asNpmStarts(), {
    PORT: '0',
    DATA_DIR: dataDir,
    BOOTSTRAP_MANAGEMENT_KEY: managementKey,
    BOOTSTRAP_API_KEY: apiKey,
    DEMO_INTERN: 'false',
    LOG_LEVEL: 'error',
    ...environment,
  })

const rssMb = (pid: number) => Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1000
const atMost = (bound: number, unit: string, value: number) => ({ text: `<= ${bound} ${unit}`, met: value <= bound })

try {
  if (isWanted('weight')) await weigh()
  if (isWanted('memory')) await memory()
  if (isWanted('plane')) await measurePlane(startServer, folder, apiKey)
  if (isWanted('paint', 'slow', 'filter', 'scroll', 'hour')) await inBrowser()
} finally {
  rmSync(folder, { recursive: true, force: true })
}
exitWithVerdict()

type Open = (path: string) => ReturnType<typeof signedInPage>

async function inBrowser(): Promise<void> {
  // Its first start makes the database.
  await (await startServer()).stop()
  await fillLedger()
  const server = await startServer()
  await using browser = await startBrowser()
  const service = { url: server.url, managementKey }
  const open = (path: string) => signedInPage(browser, service, path)
  if (isWanted('paint')) await firstPaint(open)
  if (isWanted('slow')) await slowNetwork(browser, service)
  if (isWanted('filter')) await filtering(open)
  if (isWanted('scroll')) await scrolling(open)
  if (isWanted('hour')) await busyHour(await open('/requests'), { url: server.url, apiKey, managementKey }, live)
  await server.stop()
}

async function weigh(): Promise<void> {
  const server = await startServer()
  report('start to listening, while nothing is bundled yet', `${server.msToListen.toFixed(0)} ms`)
  const started = performance.now()
  const page = await fetch(new URL('/requests', server.url))
  report('until the page is there, from then on', `${(performance.now() - started).toFixed(0)} ms`)
  await page.text()
  await server.stop()
  const [name = ''] = readdirSync(join(dataDir, 'console.remembered'))
  const bundle = join(dataDir, 'console.remembered', name)
  const manifest = JSON.parse(readFileSync(join(bundle, 'manifest.json'), 'utf8'))
  const weight = (files: string[]) =>
    files
      .filter((file) => file.endsWith('.js'))
      .reduce((sum, file) => sum + statSync(join(bundle, `${file}.gz`)).size, 0) / 1000
  const all = weight(manifest.files)
  const first = weight([manifest.main, ...manifest.mainImports, ...manifest.screens.requests])
  report('all scripts, gzipped', `${all.toFixed(1)} kB`, atMost(150, 'kB', all))
  report('scripts of the first screen, gzipped', `${first.toFixed(1)} kB`, atMost(60, 'kB', first))
}

/** The service with and without, in turn: what a start takes differs from one to the next. */
async function memory(): Promise<void> {
  const grown: number[] = []
  for (let round = 0; round < 3; round++) {
    const measured: number[] = []
    for (const CONSOLE of ['false', 'true']) {
      const server = await startServer({ CONSOLE })
      if (CONSOLE === 'true') await (await fetch(new URL('/requests', server.url))).text()
      await sleep(2_000)
      measured.push(rssMb(server.pid))
      await server.stop()
    }
    grown.push(measured[1]! - measured[0]!)
  }
  const more = median(grown)
  report('resident memory with the console, more than without', `${more.toFixed(1)} MB`, atMost(10, 'MB', more))
}

async function fillLedger(): Promise<void> {
  const db = await openDb({ data_dir: dataDir } as Parameters<typeof openDb>[0])
  const { id } = await db.query.selectFrom('organizations').select('id').executeTakeFirstOrThrow()
  await fill(db, { organizationId: id, requests, now: Date.now() }, 500)
  await fillKeys(db, keyCount)
  await db.close()
}

/** Copies a key of the workspace. The first copies are the keys of the requests. */
async function fillKeys(db: Awaited<ReturnType<typeof openDb>>, count: number): Promise<void> {
  const key = await db.query.selectFrom('api_keys').where('kind', '=', 'api').selectAll().executeTakeFirstOrThrow()
  const copies = Array.from({ length: count }, (_, at) => ({
    ...key,
    hash: requestKeys[at] ?? `${at}`.padStart(64, 'f'),
    name: `Key ${at} of a member`,
  }))
  for (let from = 0; from < count; from += 200)
    await db.query
      .insertInto('api_keys')
      .values(copies.slice(from, from + 200))
      .execute()
}

/** Each time in a browser that has nothing yet; the session begins before. */
async function firstPaint(open: Open): Promise<void> {
  const paints: number[] = []
  const ready: number[] = []
  for (let round = 0; round < 5; round++) {
    await using watched = await open('/requests')
    await watched.page.getByRole('row').nth(5).waitFor()
    paints.push(await watched.page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]!.startTime))
    ready.push(
      await watched.page.evaluate(() => performance.getEntriesByName('console-ready')[0]?.startTime ?? Number.NaN),
    )
  }
  const [paint, interactive] = [median(paints), median(ready)]
  report('first contentful paint, median of 5', `${paint.toFixed(0)} ms`, atMost(300, 'ms', paint))
  report('rows there and keys heard, median of 5', `${interactive.toFixed(0)} ms`, atMost(500, 'ms', interactive))
}

/** From the press on a filter to the rows that pass it. */
async function filtering(open: Open): Promise<void> {
  await using watched = await open('/requests')
  const { page } = watched
  const times: number[] = []
  for (let round = 0; round < 5; round++) {
    await page.getByRole('row').nth(5).waitFor()
    await page.getByRole('button', { name: /^outcome/ }).click()
    times.push(await page.evaluate(pressAndAwait, 'failed'))
    await page.getByRole('button', { name: 'Without outcome' }).click()
    await page.getByRole('row').filter({ hasText: 'answered' }).nth(3).waitFor()
  }
  const ms = median(times)
  report(
    `a filter over ${requests.toLocaleString('en')} requests, median of 5`,
    `${ms.toFixed(0)} ms`,
    atMost(300, 'ms', ms),
  )
}

/** Runs within the page. */
async function pressAndAwait(name: string): Promise<number> {
  const { document, requestAnimationFrame } = globalThis as any
  const button = [...document.querySelectorAll('.menu button')].find((one: any) => one.textContent === name)
  const started = performance.now()
  button.click()
  const rows = () => [...document.querySelectorAll('[role=rowgroup] [role=row]')] as { textContent: string }[]
  while (rows().length === 0 || rows().some((row) => row.textContent.includes('answered'))) {
    await new Promise(requestAnimationFrame)
  }
  return performance.now() - started
}

async function scrolling(open: Open): Promise<void> {
  await using watched = await open('/requests')
  const { page } = watched
  await page.getByRole('row').nth(5).waitFor()
  // Not live: a list that stands at its top lets go of old rows.
  await page.getByRole('button', { name: 'live' }).click()
  const loaded = await page.evaluate(scrollToEnd, rowsScrolled)
  const frames = (await page.evaluate(scrollThrough)).sort((a, b) => a - b)
  const at = (share: number) => frames[Math.floor(frames.length * share)] ?? 0
  report('rows in the list', loaded.toLocaleString('en'))
  report('frames while they are scrolled through, p50', `${at(0.5).toFixed(1)} ms`)
  report('frames, p99', `${at(0.99).toFixed(1)} ms`, atMost(50, 'ms', at(0.99)))
}

/** Runs in the page: scrolls to the end until it has this number of rows. */
async function scrollToEnd(rowCount: number): Promise<number> {
  const grid = (globalThis as any).document.querySelector('[role=grid]')
  const count = () => Number(grid.getAttribute('aria-rowcount')) - 1
  const until = performance.now() + 300_000
  while (count() < rowCount && performance.now() < until) {
    grid.scrollTop = grid.scrollHeight
    await new Promise((done) => setTimeout(done, 5))
  }
  return count()
}

/** Within the page: a screen at each frame, for three seconds. @returns how long frames took. */
async function scrollThrough(): Promise<number[]> {
  const { document, requestAnimationFrame } = globalThis as any
  const grid = document.querySelector('[role=grid]')
  grid.scrollTop = 0
  const times: number[] = []
  let before = await new Promise<number>(requestAnimationFrame)
  for (const end = before + 3_000; before < end; ) {
    grid.scrollTop += 700
    const at = await new Promise<number>(requestAnimationFrame)
    times.push(at - before)
    before = at
  }
  return times
}
