import type { Browser } from 'playwright-core'
import { signedInPage } from '#test/harness/browser/console.ts'
import { median, report } from './report.ts'

/** Chromium's "Slow 3G" before version 120: 400 kbit/s, and 400 ms until the first byte of each response. */
const slow3g = { offline: false, latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 }
const processorSlowdown = 4
const rounds = 5

type PageLoad = { paintedMs: number; readyMs: number; bytes: number }

/** Loads the request page over a slow connection on a slow processor: in a new browser, and again with its cache. */
export async function measureSlowNetwork(
  browser: Browser,
  service: { url: string; managementKey: string },
): Promise<void> {
  await using watched = await signedInPage(browser, service, '/service')
  const { page } = watched
  // While a page has routes, the browser uses no cache.
  await page.context().unrouteAll()
  await page.addInitScript(recordPaint)
  const client = await page.context().newCDPSession(page)
  const url = new URL('/requests', service.url).href
  await client.send('Network.enable')
  let startedAt = 0
  let pageId = ''
  const received: { id: string; at: number; bytes: number }[] = []
  client.on('Network.requestWillBeSent', ({ type, timestamp, requestId }) => {
    if (type === 'Document') [startedAt, pageId] = [timestamp, requestId]
  })
  client.on('Network.loadingFinished', ({ requestId, timestamp, encodedDataLength }) =>
    received.push({ id: requestId, at: timestamp, bytes: encodedDataLength }),
  )
  const load = async (): Promise<PageLoad> => {
    await page.goto('about:blank')
    await client.send('Network.emulateNetworkConditions', slow3g)
    await client.send('Emulation.setCPUThrottlingRate', { rate: processorSlowdown })
    received.length = 0
    await page.goto(url)
    for (const name of ['rows-painted', 'console-ready'])
      await page.waitForFunction((mark) => performance.getEntriesByName(mark).length > 0, name)
    const timeOf = (name: string) =>
      page.evaluate((mark) => performance.getEntriesByName(mark)[0]?.startTime ?? Number.NaN, name)
    const paintedMs = await timeOf('rows-painted')
    const readyMs = await timeOf('console-ready')
    // The document counts completely, although the page is painted before its last byte.
    const countsUntilPaint = ({ id, at }: { id: string; at: number }) =>
      id === pageId || (at - startedAt) * 1000 <= paintedMs
    const bytes = received.filter(countsUntilPaint).reduce((sum, part) => sum + part.bytes, 0)
    return { paintedMs, readyMs, bytes }
  }
  const firstVisits: PageLoad[] = []
  const nextVisits: PageLoad[] = []
  for (let round = 0; round < rounds; round++) {
    await client.send('Network.clearBrowserCache')
    firstVisits.push(await load())
    nextVisits.push(await load())
  }
  reportVisit('first visit', firstVisits)
  reportVisit('next visit', nextVisits)
  await client.send('Emulation.setCPUThrottlingRate', { rate: 1 })
}

/** Runs in the page: marks the second frame with more than five rows. Then the first one has been painted. */
function recordPaint(): void {
  const { document, requestAnimationFrame } = globalThis as any
  const check = () => {
    if (document.querySelectorAll('[role=row]').length <= 5) return requestAnimationFrame(check)
    requestAnimationFrame(() => performance.mark('rows-painted'))
  }
  check()
}

function reportVisit(visit: string, loads: PageLoad[]): void {
  const medianOf = (name: keyof PageLoad) => median(loads.map((load) => load[name]))
  const paintedMs = medianOf('paintedMs')
  const readyMs = medianOf('readyMs')
  const kB = medianOf('bytes') / 1000
  const name = `${visit} on Slow 3G x ${processorSlowdown} CPU, median of ${rounds}`
  const seconds = (ms: number) => `${(ms / 1000).toFixed(2)} s`
  report(`${name}: until rows are displayed`, seconds(paintedMs), { text: '<= 1 s', isMet: paintedMs <= 1000 })
  report(`${name}: received until then`, `${kB.toFixed(1)} kB`, { text: '<= 60 kB', isMet: kB <= 60 })
  report(`${name}: until keys and clicks work`, seconds(readyMs))
}
