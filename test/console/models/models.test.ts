import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { accessibilityFaults } from '../../harness/browser/accessibility.ts'
import { noBrowser, startBrowser } from '../../harness/browser/chromium.ts'
import { signedInPage } from '../../harness/browser/console.ts'
import { type DemoWorld, startDemoWorld } from '../../harness/service/world/demo-world.ts'

let world: DemoWorld
let browser: Awaited<ReturnType<typeof startBrowser>>
before(async () => {
  if (noBrowser) return
  ;[world, browser] = await Promise.all([startDemoWorld(), startBrowser()])
  await world.ask(8)
})
after(async () => {
  await browser?.close()
  await world?.[Symbol.asyncDispose]()
})
const options = { skip: noBrowser }

test('search words and filters reduce the list, and are in the address', options, async () => {
  await using watched = await signedInPage(browser, world.service, '/models')
  const { page, faults } = watched
  const rows = page.getByRole('grid', { name: 'Models' }).getByRole('row')
  await rows.nth(1).waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('deepseek-v4')
  await page.waitForURL(/q=deepseek-v4/)
  await page.getByRole('button', { name: 'any price' }).click()
  await page.getByRole('textbox', { name: 'prompt at most' }).fill('0.6')
  await page.keyboard.press('Enter')
  await page.waitForURL(/max_price=0.6/)
  const { total_count } = (await world.service.ask('GET', '/models?q=deepseek-v4&max_price=0.6')).body
  await page.locator(`.rows[aria-rowcount="${total_count + 1}"]`).waitFor()
  await rows.filter({ hasText: 'deepseek/deepseek-v4' }).first().waitFor()
  await page.getByRole('button', { name: 'Remove filter prompt at most' }).click()
  await page.waitForURL((url) => !url.searchParams.has('max_price'))
  assert.deepEqual(faults, [])
})

test('a narrow window has its filters in one line, and menus fit', options, async () => {
  await using watched = await signedInPage(browser, world.service, '/models', { viewport: { width: 390, height: 800 } })
  const { page, faults } = watched
  const chips = page.locator('.chips .chip')
  await chips.nth(4).waitFor()
  const tops = await chips.evaluateAll((all) => all.map((chip) => chip.getBoundingClientRect().top))
  assert.equal(new Set(tops).size, 1, JSON.stringify(tops))
  await page.getByRole('button', { name: 'Add a filter' }).click()
  const box = await page.locator('.menu').boundingBox()
  assert.ok(box && box.x >= 0 && box.x + box.width <= 390 && box.height > 100, JSON.stringify(box))
  await page.locator('.menu button:first-child:focus').waitFor()
  await page.getByRole('button', { name: 'Add a filter' }).focus()
  await page.keyboard.press('ArrowUp')
  await page.locator('.menu button:last-child:focus').waitFor()
  for (const _ of [1, 2]) await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.locator('.menu input:focus').waitFor()
  assert.deepEqual(faults, [])
})

test('a menu closes when Tab moves the focus out of it', options, async () => {
  await using watched = await signedInPage(browser, world.service, '/models')
  const { page, faults } = watched
  await page.getByRole('button', { name: 'Add a filter' }).click()
  await page.locator('.menu button:last-child').focus()
  await page.keyboard.press('Tab')
  await page.locator('.menu').waitFor({ state: 'detached' })
  await page.locator('input[type=search]:focus').waitFor()
  assert.deepEqual(faults, [])
})

test('a model shows its endpoints side by side, and Escape returns to the list', options, async () => {
  await using watched = await signedInPage(browser, world.service, '/models?q=deepseek-v4')
  const { page, faults } = watched
  await page
    .getByRole('row')
    .filter({ hasText: /deepseek-v4(?!-)/ })
    .first()
    .click()
  await page.waitForURL(/\/models\/deepseek\/deepseek-v4\?/)
  const { endpoints } = (await world.service.ask('GET', '/models/deepseek/deepseek-v4/endpoints')).body.data
  for (const { tag } of endpoints) await page.getByRole('rowheader').filter({ hasText: tag }).waitFor()
  const tryIt = page.getByRole('link', { name: 'Open in chat' })
  assert.equal(await tryIt.getAttribute('href'), '/chat?model=deepseek%2Fdeepseek-v4')
  await page.keyboard.press('Escape')
  await page.waitForURL(/\/models\?q=deepseek-v4/)
  assert.deepEqual(faults, [])
})

test('a link of the feed of models leads to the model', options, async () => {
  const { text } = await world.service.ask('GET', '/models?use_rss=true&q=gemini-3-flash')
  const link = /<link>([^<]*\/models\/google\/gemini-3-flash)<\/link>/.exec(text)?.[1]
  assert.ok(link, text)
  await using watched = await signedInPage(browser, world.service, new URL(link).pathname)
  await watched.page.getByRole('heading', { name: 'gemini-3-flash', exact: true }).waitFor()
  assert.deepEqual(watched.faults, [])
})

test('a model shows what each guardrail allows by which rule, with links', options, async () => {
  const { service, guardrailId } = world
  const created = { name: 'No DeepInfra', ignored_providers: ['deepinfra'] }
  const { id } = (await service.manage('POST', '/guardrails', created)).body.data
  await using watched = await signedInPage(browser, service, '/models/deepseek/deepseek-v4')
  const { page, faults } = watched
  const policies = page.getByRole('region', { name: 'Guardrails' })
  const row = policies.getByRole('row').filter({ hasText: 'No DeepInfra' })
  await row.getByText('blocked endpoints: deepinfra (blocked provider)').waitFor()
  assert.equal(await row.getByRole('link').getAttribute('href'), `/guardrails/${id}`)
  await policies.getByText('without restrictions on this model').waitFor()
  await page.goto(new URL('/models/openai/gpt-5.4-mini', page.url()).href)
  await policies.getByRole('row').filter({ hasText: 'refused: blocked model' }).waitFor()
  assert.ok((await policies.innerHTML()).includes(guardrailId))
  assert.deepEqual(faults, [])
  await service.manage('DELETE', `/guardrails/${id}`)
})

test('an unknown model shows a message', options, async () => {
  await using watched = await signedInPage(browser, world.service, '/models/nobody/knows')
  await watched.page.getByRole('heading', { name: 'Not found' }).waitFor()
})

for (const path of ['/models', '/models?view=plots', '/models/anthropic/claude-sonnet-5']) {
  for (const colorScheme of ['light', 'dark'] as const) {
    test(`${path} is accessible in ${colorScheme}`, options, async () => {
      await using watched = await signedInPage(browser, world.service, path, { colorScheme })
      await watched.page.getByText('claude-sonnet-5').filter({ visible: true }).first().waitFor()
      assert.deepEqual(await accessibilityFaults(watched.page), [])
      assert.deepEqual(watched.faults, [])
    })
  }
}
