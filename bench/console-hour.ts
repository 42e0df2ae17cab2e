import type { Page } from 'playwright-core'
import type { WatchedPage } from '#test/harness/browser/chromium.ts'
import { createCompletionTarget, requestAtRate } from './completion-load.ts'
import { report } from './report.ts'

type Service = { url: string; apiKey: string; managementKey: string }

/** The page collects rows and removes old ones from time to time, so its heap rises and falls. The lowest point of each part counts. */
const samples = { parts: 6, perPart: 10 }

/** Checks that the heap of the request page does not grow while the page shows new requests live. */
export async function measureBusyHour(
  watched: WatchedPage,
  service: Service,
  { requests, perSecond }: { requests: number; perSecond: number },
): Promise<void> {
  await using _ = watched
  const { page } = watched
  await page.getByRole('row').nth(5).waitFor()
  const body = { model: 'signalbox/demo', messages: [{ role: 'user', content: 'demo:words=2' }] }
  const target = createCompletionTarget(service.url, service.apiKey, body)
  const ms = (requests / perSecond / samples.parts / samples.perPart) * 1000
  const lowest: number[] = []
  let completed = 0
  for (let part = 0; part < samples.parts; part++) {
    const heaps: number[] = []
    for (let sample = 0; sample < samples.perPart; sample++) {
      completed += (await requestAtRate(target, { perSecond, ms })).length
      heaps.push(await heapMb(page))
    }
    lowest.push(Math.min(...heaps))
  }
  await requireNewest(page, service)
  // The first part fills the page.
  const growthMb = lowest.at(-1)! - lowest[1]!
  const label = `${completed.toLocaleString('en')} requests shown live, ${perSecond} a second`
  report(`${label}: heap, each sixth`, `${lowest.map((heap) => heap.toFixed(1)).join(' ')} MB`)
  report('heap, last sixth over the second', `${growthMb.toFixed(1)} MB`, { text: '<= 1 MB', isMet: growthMb <= 1 })
}

/** A page that stopped updating would also need little memory. @throws Error unless its first row is the newest request. */
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
