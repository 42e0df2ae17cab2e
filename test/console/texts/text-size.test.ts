import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { noBrowser, startBrowser } from '../../harness/browser/chromium.ts'
import { signedInPage } from '../../harness/browser/console.ts'
import { layoutFaults } from '../../harness/browser/layout-faults.ts'
import { type DemoWorld, startDemoWorld } from '../../harness/service/world/demo-world.ts'

let world: DemoWorld
let browser: Awaited<ReturnType<typeof startBrowser>>
let opened = ''
before(async () => {
  if (noBrowser) return
  ;[world, browser] = await Promise.all([startDemoWorld(), startBrowser({ textPx: 24 })])
  opened = (await world.ask(6))[0]!
})
after(async () => {
  await browser?.close()
  await world?.[Symbol.asyncDispose]()
})

/** Where screens of each layout are, and what says that they are there. */
const screens: [path: () => string, shows: string][] = [
  [() => '/requests', '.row:nth-child(2) .dot'],
  [() => `/requests/${opened}`, '.waterfall .track'],
  [() => '/overview', 'figure svg path.area'],
  [() => '/models', '.rows .all .row'],
  [() => '/models?view=plots', '.scatter svg .names text'],
  [() => '/models/openai/gpt-5.4-mini', '.plain-table, table'],
  [() => '/chat', 'textarea'],
  [() => `/guardrails/${world.guardrailId}`, '#effect li'],
  [() => '/keys', 'tbody tr'],
  [() => '/keys/audit', 'tbody tr'],
  [() => '/service', 'tbody tr'],
]

test('every screen works with a text size of 150 %', {
  skip: noBrowser,
}, async () => {
  await using watched = await signedInPage(browser, world.service, '/service')
  const { page, faults } = watched
  for (const [path, shows] of screens) {
    await page.goto(new URL(path(), page.url()).href)
    await page.locator(shows).first().waitFor()
    assert.equal(await page.evaluate('getComputedStyle(document.body).fontSize'), '19.5px')
    assert.deepEqual(await layoutFaults(page), [], path())
  }
  assert.deepEqual(faults, [])
})

test('no style sheet sets a text size, line height or window width in px', () => {
  const folder = fileURLToPath(new URL('../../../console', import.meta.url))
  const sheets = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.css'))
  const found = sheets.flatMap((file) => {
    const lines = readFileSync(join(folder, file), 'utf8').split('\n')
    return lines
      .filter((line) => /(font|font-size|line-height):.*\dpx|@media.*\dpx/.test(line))
      .map((line) => `${file}: ${line.trim()}`)
  })
  // In a drawing a px is a unit of it, and that is as large as the text around it.
  assert.deepEqual(found, ['components/plot.css: font-size: 11px;'])
})
