import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { accessibilityFaults } from '../../harness/browser/accessibility.ts'
import { noBrowser, startBrowser } from '../../harness/browser/chromium.ts'
import { signedInPage } from '../../harness/browser/console.ts'
import { type DemoWorld, startDemoWorld } from '../../harness/service/world/demo-world.ts'

let world: DemoWorld
let browser: Awaited<ReturnType<typeof startBrowser>>
before(async () => {
  if (noBrowser) return
  ;[world, browser] = await Promise.all([startDemoWorld(), startBrowser()])
  await world.ask(60)
})
after(async () => {
  await browser?.close()
  await world?.[Symbol.asyncDispose]()
})
const options = { skip: noBrowser }

type Part = { markup: string; title: string | undefined; boxes: number[][] }
const withoutBoxes = ({ markup, title }: Part) => ({ markup, title })

/** Each part of the page that the service renders: its markup without what only one side has, and the boxes of its elements. */
const drawn = (page: Page): Promise<Part[]> =>
  page.evaluate(() => {
    const { document } = globalThis as any
    const own = (element: any) => element.outerHTML.replace(/ (?:style|data-rule|id|tabindex|title)="[^"]*"/g, '')
    const partsOf = (element: any) => {
      const boxes = [...element.querySelectorAll('*')].map((child: any) => {
        const { x, y, width, height } = child.getBoundingClientRect()
        return [x, y, width, height]
      })
      return { markup: own(element), title: element.querySelector('[title]')?.title, boxes }
    }
    return [
      'nav .screen-links',
      'nav .account',
      '.bar',
      '.row.head',
      ...Array.from({ length: 12 }, (_, at) => `#row-${at}`),
    ].map((selector) => partsOf(document.querySelector(selector)))
  })

const windows = [
  { viewport: { width: 1280, height: 800 }, timezoneId: 'Asia/Kolkata' },
  { viewport: { width: 1000, height: 800 }, timezoneId: 'UTC' },
  { viewport: { width: 390, height: 800 }, timezoneId: 'America/New_York' },
]
for (const context of windows) {
  const { width } = context.viewport
  test(`rows that the service renders for ${width} px stay as they are when scripts run`, options, async () => {
    await using watched = await signedInPage(browser, world.service, '/models', context)
    const { page, faults } = watched
    await page.goto(new URL('/requests', world.service.url).href)
    await page.getByRole('row').nth(12).waitFor({ state: 'attached' })
    const byScript = await drawn(page)
    assert.deepEqual(faults, [])
    await page.route('**/console/*.js', (route) => route.abort())
    await page.evaluate('location.reload()')
    await page.locator('#row-12').waitFor({ state: 'attached' })
    const served = await drawn(page)
    assert.deepEqual(served.map(withoutBoxes), byScript.map(withoutBoxes))
    // Adjacent texts of a served page are one: its letters lie up to half a pixel elsewhere.
    const moved = byScript.flatMap(({ boxes }, part) =>
      boxes.flat().map((at, n) => Math.abs(at - served[part]!.boxes.flat()[n]!)),
    )
    assert.ok(Math.max(...moved) < 1, `${Math.max(...moved)}`)
    assert.deepEqual(await accessibilityFaults(page), [])
  })
}

/** Opens a page whose scripts are held back. @returns a function that lets them load. */
async function openWithoutScripts(page: Page, path: string): Promise<() => void> {
  const held = Promise.withResolvers<void>()
  await page.route('**/console/*.js', async (route) => {
    await held.promise
    await route.continue()
  })
  // `goto` of a watched page waits for the scripts.
  await page.evaluate(`location.assign('${path}')`)
  return held.resolve
}

test('a click on a row before the scripts run opens the request', options, async () => {
  await using watched = await signedInPage(browser, world.service, '/models', windows[0]!)
  const { page, faults } = watched
  const release = await openWithoutScripts(page, '/requests')
  await page.locator('#row-3').click()
  release()
  await page.getByRole('complementary', { name: 'Details' }).waitFor()
  assert.equal(await page.locator('[aria-selected=true]').getAttribute('id'), 'row-3')
  assert.deepEqual(faults, [])
})

test('clicks on buttons of the frame before the scripts run take effect in order', options, async () => {
  await using watched = await signedInPage(browser, world.service, '/models', windows[2]!)
  const { page, faults } = watched
  const release = await openWithoutScripts(page, '/requests')
  await page.getByRole('button', { name: /^Screens/ }).click()
  await page.getByRole('button', { name: 'Theme: system' }).click()
  release()
  await page.getByRole('button', { name: 'Theme: light' }).waitFor()
  assert.deepEqual(faults, [])
})
