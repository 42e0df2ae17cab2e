import type { Browser } from 'playwright-core'
import { signedInPage } from '#test/harness/browser/console.ts'
import { report } from './report.ts'

/** Chromium's "Slow 3G" before version 120: 400 kbit/s, and 400 ms until the first byte of each answer. */
const slow3g = { offline: false, latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 }
const processorSlowdown = 4

type Loaded = { ms: number; bytes: number; requests: number }

/** Loads the request page over a slow connection on a slow processor: in a new browser, and again with its cache. */
export async function slowNetwork(browser: Browser, service: { url: string; managementKey: string }): Promise<void> {
  await using watched = await signedInPage(browser, service, '/service')
  const { page } = watched
  // While a page has routes, the browser uses no cache.
  await page.context().unrouteAll()
  const client = await page.context().newCDPSession(page)
  const { origin } = new URL(service.url)
  await client.send('Network.enable')
  let bytes = 0
  let requests = 0
  client.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength
    requests++
  })
  const load = async (): Promise<Loaded> => {
    await page.goto('about:blank')
    await client.send('Network.emulateNetworkConditions', slow3g)
    await client.send('Emulation.setCPUThrottlingRate', { rate: processorSlowdown })
    bytes = 0
    requests = 0
    await page.goto(`${origin}/requests`, { waitUntil: 'commit' })
    await page.getByRole('row').nth(5).waitFor()
    const ms = await page.evaluate(() => performance.getEntriesByName('console-ready')[0]?.startTime ?? Number.NaN)
    return { ms, bytes, requests }
  }
  await client.send('Network.clearBrowserCache')
  print('first visit', await load())
  print('next visit', await load())
  await client.send('Emulation.setCPUThrottlingRate', { rate: 1 })
}

function print(visit: string, { ms, bytes, requests }: Loaded): void {
  const kB = bytes / 1000
  const bound = { text: '<= 60 kB', met: kB <= 60 }
  report(`${visit} on Slow 3G x ${processorSlowdown} CPU: until rows are displayed`, `${(ms / 1000).toFixed(2)} s`)
  report(`${visit}: received until then, in ${requests} answers`, `${kB.toFixed(1)} kB`, bound)
}
