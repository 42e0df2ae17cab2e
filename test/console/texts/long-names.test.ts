import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { noBrowser, startBrowser } from '../../harness/browser/chromium.ts'
import { signedInPage } from '../../harness/browser/console.ts'
import { type InternChatService, startInternChatService } from '../../harness/interns/intern-chat.ts'
import { createFilesClient } from '../../harness/interns/intern-files.ts'

/** A word without a position for a line break. */
const long = 'Wagenladungsverkehrsabrechnungsstelle_'.repeat(4).slice(0, 120)

let talk: InternChatService
let browser: Awaited<ReturnType<typeof startBrowser>>
before(async () => {
  if (noBrowser) return
  ;[talk, browser] = await Promise.all([
    startInternChatService({ settings: { console: 'true' as never } }),
    startBrowser(),
  ])
  await talk.manage('POST', '/workspaces', { name: long, slug: 'w'.repeat(60) })
  await talk.manage('POST', '/keys', { name: long })
  const body = { model: 'signalbox/demo', messages: [{ role: 'system', content: long }] }
  await talk.manage('POST', `/presets/${'p'.repeat(60)}/chat/completions`, body)
  await createFilesClient(talk, talk.id)('PUT', 'content', { path: long }, { body: long })
})
after(async () => {
  await browser?.close()
  await talk?.[Symbol.asyncDispose]()
})
const options = { skip: noBrowser }

/** Elements that scroll sideways, with their width. Only tables of figures are allowed to. */
const overflowingElements = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const document = (globalThis as any).document
    return [...document.querySelectorAll('main, .parts-body, .conversation-scroller')].flatMap((element: any) =>
      element.scrollWidth > element.clientWidth + 1 ? [`${element.className}: ${element.scrollWidth}`] : [],
    )
  })

test('no name makes a screen wider than its window', options, async () => {
  const look = { viewport: { width: 390, height: 800 } }
  await using managed = await signedInPage(browser, talk, '/models', look)
  await using own = await signedInPage(browser, talk, '/models', { ...look, key: talk.apiKey })
  const pages: [string, string, Page][] = [
    ['/keys', 'Create key', managed.page],
    ['/keys/workspaces', 'Create workspace', managed.page],
    ['/keys/providers', 'Add provider key', managed.page],
    ['/interns?part=rules', 'Add rule', managed.page],
    ['/guardrails', 'Create', managed.page],
    ['/requests', 'Add a filter', managed.page],
    ['/overview', 'Add a filter', managed.page],
    [`/interns/${talk.id}`, long, own.page],
    ['/chat', `@preset/${'p'.repeat(60)}`, own.page],
  ]
  for (const [path, name, page] of pages) {
    await page.goto(new URL(path, page.url()).href)
    await page.getByRole('button', { name, exact: true }).first().waitFor()
    // The list of workspaces loads later than the fields beside it.
    if (/providers|rules|guardrails|keys$/.test(path)) await page.getByRole('combobox').first().waitFor()
    assert.deepEqual(await overflowingElements(page), [], path)
  }
  assert.deepEqual([...managed.faults, ...own.faults], [])
})

test('a menu fits into a narrow window', options, async () => {
  await using watched = await signedInPage(browser, talk, '/requests', { viewport: { width: 390, height: 800 } })
  const { page } = watched
  await page.getByRole('button', { name: 'Add a filter' }).click()
  const box = await page.locator('.menu').boundingBox()
  assert.ok(box && box.x >= 0 && box.x + box.width <= 390, JSON.stringify(box))
  await page.getByRole('button', { name: 'duration at most, ms' }).click()
  await page.getByRole('textbox', { name: 'duration at most, ms' }).waitFor()
})

test('a long key name does not break other columns, and is shown in full on hover', options, async () => {
  await using watched = await signedInPage(browser, talk, '/keys')
  const { page } = watched
  const row = page.getByRole('row').filter({ hasText: long })
  const box = await row.getByRole('cell', { name: 'Owner' }).boundingBox()
  const { width } = (await row.getByText('never').boundingBox())!
  assert.ok(box && box.width > width, JSON.stringify([box, width]))
  await page.goto(new URL('/presets', page.url()).href)
  const cut = page.getByRole('gridcell').filter({ hasText: 'p'.repeat(60) })
  await page.setViewportSize({ width: 700, height: 800 })
  await cut.hover()
  assert.equal(await cut.getAttribute('title'), `@preset/${'p'.repeat(60)}`)
})
