import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openDb } from '#platform/db/open.ts'
import { startBrowser } from '#test/harness/browser/chromium.ts'
import { signedInPage } from '#test/harness/browser/console.ts'
import { measureBusyHour } from './console-hour.ts'
import { measureCompletionTime } from './console-plane.ts'
import { measureSlowNetwork } from './console-slow.ts'
import { fill, keys as requestKeys } from './ledger-fill.ts'
import { exitWithVerdict, median, report } from './report.ts'
import { npmStartArguments, start } from './servers.ts'

/**
 * Measures the size of the console, its load time, a long log, a busy hour, and its effect on requests. Needs Debian's
 * chromium. Arguments select the measured parts (`-- paint hour`). Variables: `REQUESTS` in the ledger (1,000,000), `ROWS` that
 * are scrolled (100,000), `KEYS` in the workspace (5,000). The busy hour sends `LIVE` requests (180,000, an hour at 50 per
 * second) at `RATE` per second (500, so that it takes six minutes).
 */
const requests = Number(process.env.REQUESTS ?? 1_000_000)
const rowsScrolled = Number(process.env.ROWS ?? 100_000)
const keyCount = Number(process.env.KEYS ?? 5_000)
const live = { requests: Number(process.env.LIVE ?? 180_000), perSecond: Number(process.env.RATE ?? 500) }
const parts = ['weight', 'memory', 'plane', 'paint', 'slow', 'filter', 'scroll', 'hour']
const requestedParts = process.argv.slice(2)
const unknownPart = requestedParts.find((name) => !parts.includes(name))
if (unknownPart) throw new Error(`Unknown part ${unknownPart}. Use ${parts.join(', ')}.`)
const isWanted = (...names: string[]) =>
  requestedParts.length === 0 || names.some((name) => requestedParts.includes(name))
const managementKey = `sb-v1-${'a'.repeat(64)}`
const apiKey = `sb-v1-${'b'.repeat(64)}`
const folder = mkdtempSync(join(tmpdir(), 'signalbox-bench-console-'))
const dataDir = join(folder, 'data')

const startServer = (environment: Record<string, string> = {}) =>
  start(npmStartArguments(), {
    PORT: '0',
    DATA_DIR: dataDir,
    BOOTSTRAP_MANAGEMENT_KEY: managementKey,
    BOOTSTRAP_API_KEY: apiKey,
    DEMO_INTERN: 'false',
    LOG_LEVEL: 'error',
    ...environment,
  })

const rssMb = (pid: number) => Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1000
const atMost = (bound: number, unit: string, value: number) => ({ text: `<= ${bound} ${unit}`, isMet: value <= bound })

try {
  if (isWanted('weight')) await measureWeight()
  if (isWanted('memory')) await measureMemory()
  if (isWanted('plane')) await measureCompletionTime(startServer, folder, apiKey)
  if (isWanted('paint', 'slow', 'filter', 'scroll', 'hour')) await measureInBrowser()
} finally {
  rmSync(folder, { recursive: true, force: true })
}
exitWithVerdict()

type Open = (path: string) => ReturnType<typeof signedInPage>

async function measureInBrowser(): Promise<void> {
  // The first start creates the database.
  await (await startServer()).stop()
  await fillLedger()
  const server = await startServer()
  await using browser = await startBrowser()
  const service = { url: server.url, managementKey }
  const open = (path: string) => signedInPage(browser, service, path)
  if (isWanted('paint')) await measureFirstPaint(open)
  if (isWanted('slow')) await measureSlowNetwork(browser, service)
  if (isWanted('filter')) await measureFiltering(open)
  if (isWanted('scroll')) await measureScrolling(open)
  if (isWanted('hour')) await measureBusyHour(await open('/requests'), { url: server.url, apiKey, managementKey }, live)
  await server.stop()
}

async function measureWeight(): Promise<void> {
  const server = await startServer()
  report('start to listening, before the console is bundled', `${server.msToListen.toFixed(0)} ms`)
  const started = performance.now()
  const page = await fetch(new URL('/requests', server.url))
  report('from then until the page is served', `${(performance.now() - started).toFixed(0)} ms`)
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

/** Compares the memory with and without the console in pairs, because starts differ. */
async function measureMemory(): Promise<void> {
  const differences: number[] = []
  for (let round = 0; round < 3; round++) {
    const measured: number[] = []
    for (const CONSOLE of ['false', 'true']) {
      const server = await startServer({ CONSOLE })
      if (CONSOLE === 'true') await (await fetch(new URL('/requests', server.url))).text()
      await sleep(2_000)
      measured.push(rssMb(server.pid))
      await server.stop()
    }
    differences.push(measured[1]! - measured[0]!)
  }
  const added = median(differences)
  report('resident memory added by the console', `${added.toFixed(1)} MB`, atMost(10, 'MB', added))
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

/** Measures the first visit of a signed-in member, each time in a new browser. */
async function measureFirstPaint(open: Open): Promise<void> {
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
  report('rows displayed and keys work, median of 5', `${interactive.toFixed(0)} ms`, atMost(500, 'ms', interactive))
}

/** Measures the time from the click on a filter to the matching rows. */
async function measureFiltering(open: Open): Promise<void> {
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

/** Runs in the page: clicks a menu entry, and waits until no row is left that the filter excludes. @returns milliseconds */
async function pressAndAwait(name: string): Promise<number> {
  const { document, requestAnimationFrame } = globalThis as any
  const button = [...document.querySelectorAll('.menu button')].find((candidate: any) => candidate.textContent === name)
  const started = performance.now()
  button.click()
  const rows = () => [...document.querySelectorAll('[role=rowgroup] [role=row]')] as { textContent: string }[]
  while (rows().length === 0 || rows().some((row) => row.textContent.includes('answered'))) {
    await new Promise(requestAnimationFrame)
  }
  return performance.now() - started
}

async function measureScrolling(open: Open): Promise<void> {
  await using watched = await open('/requests')
  const { page } = watched
  await page.getByRole('row').nth(5).waitFor()
  // Turns live mode off, in which a list at its top removes old rows.
  await page.getByRole('button', { name: 'live' }).click()
  const loaded = await page.evaluate(scrollToEnd, rowsScrolled)
  const frames = (await page.evaluate(scrollThrough)).sort((a, b) => a - b)
  const quantile = (share: number) => frames[Math.floor(frames.length * share)] ?? 0
  report('rows in the list', loaded.toLocaleString('en'))
  report('frames while scrolling, p50', `${quantile(0.5).toFixed(1)} ms`)
  report('frames, p99', `${quantile(0.99).toFixed(1)} ms`, atMost(50, 'ms', quantile(0.99)))
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

/** Runs in the page: scrolls by one screen per frame for three seconds. @returns the duration of each frame in milliseconds */
async function scrollThrough(): Promise<number[]> {
  const { document, requestAnimationFrame } = globalThis as any
  const grid = document.querySelector('[role=grid]')
  grid.scrollTop = 0
  const times: number[] = []
  let previousFrameAt = await new Promise<number>(requestAnimationFrame)
  for (const end = previousFrameAt + 3_000; previousFrameAt < end; ) {
    grid.scrollTop += 700
    const frameAt = await new Promise<number>(requestAnimationFrame)
    times.push(frameAt - previousFrameAt)
    previousFrameAt = frameAt
  }
  return times
}
