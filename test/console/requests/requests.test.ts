import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import type { Locator } from 'playwright-core'
import { accessibilityFaults } from '../../harness/browser/accessibility.ts'
import { noBrowser, startBrowser } from '../../harness/browser/chromium.ts'
import { linkForRole, signedInPage } from '../../harness/browser/console.ts'
import { addColleague } from '../../harness/service/world/colleague.ts'
import { type DemoWorld, startDemoWorld } from '../../harness/service/world/demo-world.ts'
import { untilMetered } from '../../harness/service/world/generation-record.ts'
import { until } from '../../harness/until.ts'

let world: DemoWorld
let browser: Awaited<ReturnType<typeof startBrowser>>
let ids: string[]
before(async () => {
  if (noBrowser) return
  ;[world, browser] = await Promise.all([startDemoWorld(), startBrowser()])
  ids = await world.ask(8)
})
after(async () => {
  await browser?.close()
  await world?.[Symbol.asyncDispose]()
})
const options = { skip: noBrowser }

const say = (content: string, session_id?: string) =>
  world.service.ask('POST', '/chat/completions', {
    body: { model: 'signalbox/demo', messages: [{ role: 'user', content }], ...(session_id && { session_id }) },
  })

/** The list has noticed before the second frame after it. */
const scroll = (list: Locator, to: number) =>
  list.evaluate(async (element, top) => {
    const { requestAnimationFrame } = globalThis as unknown as { requestAnimationFrame: (act: () => void) => void }
    element.scrollTop = top
    for (const _ of [1, 2]) await new Promise<void>((resolve) => requestAnimationFrame(resolve))
  }, to)

const open = (path: string, more = {}) => signedInPage(browser, world.service, path, more)

test('the log lists requests, and a row opens the details of the request', options, async () => {
  await using watched = await open('/requests')
  const { page, faults } = watched
  const row = page.getByRole('row').filter({ hasText: 'anthropic/claude-sonnet-5' })
  await row.filter({ hasText: '2nd attempt succeeded' }).click()
  const panel = page.getByRole('complementary', { name: 'Details' })
  await panel.getByText('returned 429').waitFor()
  await panel.getByText('prompt, cache read').waitFor()
  assert.equal(await panel.getByText('$0.000735').count(), 1)
  assert.match(page.url(), new RegExp(`/requests/${ids[1]}$`))
  await page.keyboard.press('Escape')
  await panel.waitFor({ state: 'detached' })
  assert.deepEqual(faults, [])
})

test('no row is cut off in a window of any width', options, async () => {
  await using watched = await open('/requests')
  const { page, faults } = watched
  const outcome = page.getByRole('row').nth(1).getByRole('gridcell').last()
  for (const width of [820, 900, 960, 1060, 1140, 1280]) {
    await page.setViewportSize({ width, height: 800 })
    await until(async () => {
      const box = await outcome.boundingBox()
      return box !== null && box.x + box.width <= width
    })
  }
  // Nor the time of another day.
  const cut = await page
    .locator('[role=gridcell] time')
    .first()
    .evaluate((time) => {
      time.textContent = '11-28 23:40:42'
      const cell = time.closest('[role=gridcell]')
      return cell.scrollWidth - cell.clientWidth
    })
  assert.equal(cut, 0)
  assert.deepEqual(faults, [])
})

test('a request without a response displays its attempts and the error', options, async () => {
  await using watched = await open(`/requests/${ids[5]}`)
  const { page, faults } = watched
  const panel = page.getByRole('complementary', { name: 'Details' })
  await panel.getByText('Too many requests. Slow down.').waitFor()
  await panel.getByText('nothing was charged').waitFor()
  assert.deepEqual(faults, [])
})

test('a refusal names the rule, and leads to the guardrail', options, async () => {
  await using watched = await open(`/requests/${ids[2]}`)
  const { page, faults } = watched
  const panel = page.getByRole('complementary', { name: 'Details' })
  await panel.getByText('Only what the contract names').waitFor()
  const link = panel.getByRole('link', { name: 'guardrail' })
  assert.equal(await link.getAttribute('href'), `/guardrails/${world.guardrailId}`)
  assert.deepEqual(faults, [])
})

test('filters are in the address, and an address sets them', options, async () => {
  await using watched = await open('/requests')
  const { page, faults } = watched
  await page.getByRole('row').nth(1).waitFor()
  await page.getByRole('button', { name: 'outcome any' }).click()
  await page.getByRole('button', { name: 'refused', exact: true }).click()
  await page.waitForURL('**/requests?outcome=refused')
  await page.getByRole('row').filter({ hasText: 'success' }).first().waitFor({ state: 'detached' })
  await until(async () => (await page.getByRole('row').count()) === 2)
  await page.reload()
  await page.getByRole('row').nth(1).waitFor()
  await until(async () => (await page.getByRole('row').count()) === 2)
  await page.getByRole('button', { name: 'Remove filter outcome' }).click()
  await page.getByRole('row').nth(4).waitFor()
  assert.deepEqual(faults, [])
})

test('text after "/" filters, and an empty result offers a reset', options, async () => {
  await using watched = await open('/requests')
  const { page, faults } = watched
  await page.getByRole('row').nth(1).waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('session:nobody')
  await page.keyboard.press('Enter')
  await page.waitForURL('**/requests?session_id=nobody')
  await page.getByText('No requests match these filters').waitFor()
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await page.getByRole('row').nth(1).waitFor()
  assert.deepEqual(faults, [])
})

test('a key is filtered by name, and the result is downloaded as CSV', options, async () => {
  await using watched = await open('/service')
  const { page, faults } = watched
  // The rows are there before the keys are known.
  const typed = Promise.withResolvers<void>()
  await page.route('**/api/v1/keys?*', async (route) => {
    await typed.promise
    await route.fallback()
  })
  await page.goto(new URL('/requests', page.url()).href)
  await page.getByRole('row').nth(1).waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('key:shut-in')
  await page.keyboard.press('Enter')
  typed.resolve()
  await page.waitForURL(/api_key_hash=[0-9a-f]{64}$/)
  await page.getByRole('row').filter({ hasText: 'blocked model' }).waitFor()
  const downloading = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Download as CSV' }).click()
  const lines = readFileSync(await (await downloading).path(), 'utf8')
    .trim()
    .split('\n')
  assert.deepEqual([lines.length, lines[1]?.includes('refused')], [2, true])
  assert.deepEqual(faults, [])
})

test('a time is filtered by as it is typed, and costs and durations from above', options, async () => {
  await using watched = await open('/requests?from=2020-01-01 10:00&max_generation_time=600000&max_cost=5')
  const { page, faults } = watched
  await page.getByRole('row').nth(4).waitFor()
  await page.getByRole('button', { name: 'Remove filter from' }).waitFor()
  await page.getByRole('button', { name: 'Remove filter duration at most' }).waitFor()
  await page.goto(new URL('/requests?to=2020-01-01', page.url()).href)
  await page.getByText('No requests match these filters').waitFor()
  assert.deepEqual(faults, [])
})

test('live requests follow the filter by member', options, async () => {
  const { data } = (await world.service.manage('GET', '/organization/members')).body
  const grace = await addColleague(world.service)
  await using watched = await open(`/requests?model=signalbox/demo&user_id=${data[0].email}`)
  const { page, faults } = watched
  await page.getByRole('row').nth(1).waitFor()
  const before = await page.getByRole('row').count()
  const body = { model: 'signalbox/demo', messages: [{ role: 'user', content: 'Now' }] }
  const hers = await grace.ask('POST', '/chat/completions', { body })
  await untilMetered({ ask: (method, path) => world.service.manage(method, path) }, hers.headers.get('x-generation-id'))
  await world.service.ask('POST', '/chat/completions', { body })
  await page.getByRole('row').nth(before).waitFor()
  assert.equal(await page.getByRole('row').filter({ hasText: 'grace' }).count(), 0)
  assert.deepEqual(faults, [])
})

test('a request that ends appears at the top', options, async () => {
  await using watched = await open('/requests?model=signalbox/demo')
  const { page, faults } = watched
  await page.getByRole('row').nth(1).waitFor()
  const before = await page.getByRole('row').count()
  const body = { model: 'signalbox/demo', messages: [{ role: 'user', content: 'Now' }] }
  await world.service.ask('POST', '/chat/completions', { body })
  await page.getByRole('row').nth(before).waitFor()
  assert.deepEqual(faults, [])
})

test('j, k and Enter move through the list and open, without the mouse', options, async () => {
  await using watched = await open('/requests')
  const { page, faults } = watched
  await page.getByRole('row').nth(2).waitFor()
  for (const key of ['j', 'j', 'k', 'j', 'Enter']) await page.keyboard.press(key)
  const second = page.getByRole('row', { selected: true })
  await second.waitFor()
  assert.equal(await second.getAttribute('aria-rowindex'), '3')
  await page.keyboard.press('j')
  await page.locator('[aria-selected=true][aria-rowindex="4"]').waitFor()
  await page.getByRole('complementary', { name: 'Details' }).getByRole('button', { name: 'Close' }).press('Enter')
  await page.getByRole('grid', { name: 'Requests' }).and(page.locator(':focus')).waitFor()
  assert.deepEqual(faults, [])
})

test('an API key sees its own requests, and no word of others', options, async () => {
  const { body } = await world.service.manage('POST', '/workspaces', { name: 'Elsewhere', slug: 'elsewhere' })
  const created = await world.service.manage('POST', '/keys', { name: 'other', workspace_id: body.data.id })
  await using watched = await open('/requests', { key: created.body.key })
  await watched.page.getByText('No requests yet').waitFor()
  assert.deepEqual(watched.faults, [])
})

for (const colorScheme of ['light', 'dark'] as const) {
  for (const width of [1280, 390]) {
    test(`requests are accessible at ${width} px in ${colorScheme}`, options, async () => {
      await using watched = await open('/requests', { colorScheme, viewport: { width, height: 800 } })
      await watched.page.getByRole('row').nth(1).waitFor()
      assert.deepEqual(await accessibilityFaults(watched.page), [])
      await watched.page.goto(`${new URL(world.service.url).origin}/requests/${ids[1]}`)
      await watched.page.getByText('prompt, cache read').waitFor()
      assert.deepEqual(await accessibilityFaults(watched.page), [])
      assert.equal(await watched.page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true)
      assert.deepEqual(watched.faults, [])
    })
  }
}

test('newer requests do not move the list while the user reads further down', options, async () => {
  await world.ask(40)
  await using watched = await open('/requests?model=google/gemini-3-flash&last=24h', {
    viewport: { width: 1280, height: 300 },
  })
  const { page, faults } = watched
  await page.getByRole('row').nth(5).waitFor()
  // Names of keys come after the rows.
  await page
    .getByRole('gridcell', { name: /^(First API key|ci-bot)$/ })
    .first()
    .waitFor()
  const grid = page.getByRole('grid')
  await scroll(grid, 84)
  const top = await page.getByRole('row').nth(3).textContent()
  await world.ask(8)
  const newer = page.getByRole('button', { name: / new$/ })
  await newer.waitFor()
  assert.equal(await page.getByRole('row').nth(3).textContent(), top)
  await newer.click()
  await newer.waitFor({ state: 'detached' })
  assert.equal(await grid.evaluate((element) => element.scrollTop), 0)
  // The button scrolls to the top, where no new requests are waiting.
  const count = async () => Number(await grid.getAttribute('aria-rowcount'))
  const before = await count()
  await world.ask(8)
  await until(async () => (await count()) > before)
  assert.equal(await newer.count(), 0)
  assert.deepEqual(faults, [])
})

test('newer requests appear when the list is scrolled to its top', options, async () => {
  await world.ask(40)
  await using watched = await open('/requests?last=24h', { viewport: { width: 1280, height: 300 } })
  const { page, faults } = watched
  await page.getByRole('row').nth(5).waitFor()
  const grid = page.getByRole('grid')
  await scroll(grid, 84)
  const { headers } = await say('Now')
  await untilMetered(world.service, headers.get('x-generation-id'))
  const newer = page.getByRole('button', { name: / new$/ })
  await newer.waitFor()
  await scroll(grid, 0)
  await newer.waitFor({ state: 'detached' })
  await scroll(grid, 84)
  await page.getByRole('button', { name: 'outcome any' }).click()
  await page.getByRole('button', { name: 'success', exact: true }).click()
  await page.waitForURL('**/requests?last=24h&outcome=success')
  await until(async () => (await grid.evaluate((element) => element.scrollTop)) === 0)
  assert.deepEqual(faults, [])
})

test('requests that end while the log loads are not missed', options, async () => {
  await using watched = await open('/service')
  const { page, faults } = watched
  const untold = Promise.withResolvers<void>()
  await page.route('**/api/v1/events', async (route) => {
    await untold.promise
    await route.fallback()
  })
  await page.goto(new URL('/requests?session_id=untold', page.url()).href)
  await page.getByText('No requests match these filters').waitFor()
  const { headers } = await say('Now', 'untold')
  await untilMetered(world.service, headers.get('x-generation-id'))
  untold.resolve()
  await page.getByRole('row').nth(1).waitFor()

  const read = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  await page.route('**/api/v1/generations?*', async (route) => {
    const response = await route.fetch()
    read.resolve()
    await released.promise
    await route.fulfill({ response })
  })
  await page.getByRole('button', { name: 'any time' }).click()
  await page.getByRole('button', { name: '15 minutes', exact: true }).click()
  await read.promise
  await say('Again', 'untold')
  await page.getByRole('row').nth(2).waitFor()
  released.resolve()
  await page.locator('.progress.on').waitFor({ state: 'detached' })
  assert.equal(await page.getByRole('row').count(), 3)
  // Failures of requests while the page closes do not count.
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  assert.deepEqual(faults, [])
})

for (const access of ['owner', 'admin', 'developer', 'member', 'viewer']) {
  test(`a user with access ${access} sees the visible log without refusals`, options, async () => {
    const link = await linkForRole(world.service, access)
    await using watched = await open('/requests', { link })
    const { page, faults } = watched
    const seen = page.getByRole('row').nth(1).or(page.getByText('No requests yet'))
    await seen.waitFor()
    await page.getByText(`The ${access}`).waitFor()
    assert.equal(await page.getByText('No requests yet').count(), access === 'developer' ? 1 : 0)
    assert.deepEqual(faults, [])
  })
}
