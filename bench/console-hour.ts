import type { Page } from 'playwright-core'
import type { WatchedPage } from '#test/harness/browser/chromium.ts'
import { atRate, doorOf } from './completion-load.ts'
import { report } from './report.ts'

type Service = { url: string; apiKey: string; managementKey: string }

/** The page shows all rows that came until it lets old ones go: its heap is a saw, of which the lowest points count. */
const looks = { parts: 6, each: 10 }

/** Requests are shown as they end; what the page holds must not grow. */
export async function busyHour(
  watched: WatchedPage,
  service: Service,
  { requests, perSecond }: { requests: number; perSecond: number },
): Promise<void> {
  await using _ = watched
  const { page } = watched
  await page.getByRole('row').nth(5).waitFor()
  const body = { model: 'signalbox/demo', messages: [{ role: 'user', content: 'demo:words=2' }] }
  const door = doorOf(service.url, service.apiKey, body)
  const ms = (requests / perSecond / looks.parts / looks.each) * 1000
  const lowest: number[] = []
  let answered = 0
  for (let part = 0; part < looks.parts; part++) {
    const heaps: number[] = []
    for (let look = 0; look < looks.each; look++) {
      answered += (await atRate(door, { perSecond, ms })).length
      heaps.push(await heapMb(page))
    }
    lowest.push(Math.min(...heaps))
  }
  await requireNewest(page, service)
  const grown = lowest.at(-1)! - lowest[1]!
  const what = `${answered.toLocaleString('en')} requests shown live, ${perSecond} a second`
  report(`${what}: heap, each sixth`, `${lowest.map((heap) => heap.toFixed(1)).join(' ')} MB`)
  report('heap, last sixth over the second', `${grown.toFixed(1)} MB`, { text: '<= 1 MB', met: grown <= 1 })
}

/** A page that stopped listening would hold little. @throws Error where its first row is not the newest of the log. */
async function requireNewest(page: Page, { url, managementKey }: Service): Promise<void> {
  const headers = { authorization: `Bearer ${managementKey}` }
  const newest = (await (await fetch(`${url}/generations?limit=1`, { headers })).json()) as { data: { id: string }[] }
  const { id } = newest.data[0]!
  await page.getByRole('row').nth(1).click()
  await page.waitForURL((address) => address.pathname === `/requests/${id}`)
}

async function heapMb(page: Page): Promise<number> {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('HeapProfiler.collectGarbage')
  const { usedSize } = await devtools.send('Runtime.getHeapUsage')
  await devtools.detach()
  return usedSize / 1e6
}
