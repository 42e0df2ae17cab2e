import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openDb } from '#platform/db/open.ts'
import { accessibilityFaults } from '../../harness/browser/accessibility.ts'
import { noBrowser, startBrowser } from '../../harness/browser/chromium.ts'
import { linkForRole, signedInPage } from '../../harness/browser/console.ts'
import type { TestService } from '../../harness/service/service.ts'
import { type DemoWorld, startDemoWorld } from '../../harness/service/world/demo-world.ts'

let world: DemoWorld
let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>
before(async () => {
  if (noBrowser) return
  ;[world, browser] = await Promise.all([startDemoWorld(), startBrowser()])
  service = world.service
  await world.ask(8)
})
after(async () => {
  await browser?.close()
  await world?.[Symbol.asyncDispose]()
})
const options = { skip: noBrowser }

test('the overview shows the counts, and its grouping is in the URL', options, async () => {
  await using watched = await signedInPage(browser, service, '/overview?last=1h')
  const { page, faults } = watched
  const body = { metrics: ['request_count'], dimensions: ['api_key_id'] }
  const counted = (await service.manage('POST', '/analytics/query', body)).body.data.data
  const all = counted.reduce((sum: number, row: any) => sum + row.request_count, 0)
  await page.locator('.figures > div').filter({ hasText: 'requests' }).getByText(String(all), { exact: true }).waitFor()
  await page.getByRole('button', { name: 'by model' }).click()
  await page.getByRole('button', { name: 'key', exact: true }).click()
  await page.getByRole('link', { name: 'ci-bot' }).waitFor()
  assert.equal(new URL(page.url()).searchParams.get('by'), 'key')
  assert.deepEqual(faults, [])
})

test('a slow endpoint is marked and links to its requests', options, async () => {
  await using watched = await signedInPage(browser, service, '/overview?by=endpoint')
  const { page, faults } = watched
  const slow = page.getByRole('columnheader', { name: 'first token' })
  await slow.getByRole('button').click()
  await page.waitForURL(/order=slow/)
  await page.locator('th[aria-sort=descending]').and(slow).waitFor()
  // A model with one endpoint: among several it is drawn who answers.
  await page.getByRole('link', { name: 'google/gemini-3-flash@google' }).click()
  await page.waitForURL((url) => url.searchParams.get('provider') === 'google' && !url.searchParams.has('order'))
  await page.getByRole('button', { name: 'model google/gemini-3-flash' }).waitFor()
  assert.deepEqual(faults, [])
})

test('each plot has a table with its figures', options, async () => {
  await using watched = await signedInPage(browser, service, '/overview?last=1h')
  const { page, faults } = watched
  const plot = page.locator('figure').filter({ hasText: 'Requests, by model' })
  await plot.locator('svg path.area').first().waitFor()
  await plot.getByText('Table').click()
  await plot.getByRole('columnheader', { name: 'anthropic/claude-sonnet-5' }).waitFor()
  const cells = await plot.getByRole('cell').allInnerTexts()
  assert.ok(cells.some((text) => Number(text) > 0))
  assert.deepEqual(faults, [])
})

test('the cursor of one plot shows its values in every plot', options, async () => {
  await using watched = await signedInPage(browser, service, '/overview?last=1h')
  const { page, faults } = watched
  const drawing = page.locator('.plot > div').filter({ has: page.locator('path') })
  await drawing.first().hover()
  await page.locator('.plot .reading').nth(1).waitFor({ state: 'attached' })
  assert.equal(
    await page.locator('.plot .reading').count(),
    await drawing.filter({ has: page.locator('svg .mark') }).count(),
  )
  assert.deepEqual(faults, [])
})

test('a limit is a bar with its spending, and an expiring key is listed', options, async () => {
  const { body } = await service.manage('POST', '/keys', { name: 'small', limit: 5, limit_reset: 'monthly' })
  await service.manage('POST', '/keys', {
    name: 'soon',
    expires_at: new Date(Date.now() + 2 * 86_400_000).toISOString(),
  })
  await using watched = await signedInPage(browser, service, '/overview')
  await watched.page.getByRole('listitem').filter({ hasText: 'small' }).getByText('$5.00').waitFor()
  await watched.page.getByText('Key soon expires').waitFor()
  assert.deepEqual(watched.faults, [])
  await service.manage('DELETE', `/keys/${body.data.hash}`)
})

test('an exhausted budget of a workspace is listed, and leads to its change', options, async () => {
  const path = '/workspaces/default/budgets/daily'
  await service.manage('PUT', path, { limit_usd: 0.0000001 })
  await using watched = await signedInPage(browser, service, '/overview')
  const { page, faults } = watched
  await page
    .getByRole('list', { name: 'Current problems' })
    .getByRole('link', { name: /^Default: used up/ })
    .click()
  await page.getByRole('table', { name: 'Budgets of the workspace Default' }).getByText('used up').waitFor()
  await page.goto(new URL('/overview', page.url()).href)
  await page.getByRole('link', { name: 'this month by member' }).click()
  await page.getByRole('columnheader', { name: 'member' }).waitFor()
  await page.getByRole('button', { name: 'Last month' }).click()
  await page.waitForURL(/from=\d{4}-\d\d-01&to=\d{4}-\d\d-(28|29|30|31)|to=.*from=/)
  assert.deepEqual(await accessibilityFaults(page), [])
  assert.deepEqual(faults, [])
  await service.manage('DELETE', path)
})

test('budgets are visible by role: all to a viewer, own keys to a developer', options, async () => {
  const viewer = await linkForRole(service, 'viewer')
  const developer = await linkForRole(service, 'developer')
  const members = (await service.manage('GET', '/organization/members?limit=100')).body.data
  const { id } = members.find((one: { access: string }) => one.access === 'developer')
  await service.manage('POST', '/keys', { name: 'hers', limit: 3, creator_user_id: id })
  const { data } = (await service.manage('GET', '/workspaces')).body
  const path = `/guardrails/${data[0].default_guardrail_id}`
  await service.manage('PATCH', path, { name: 'For all', limit_usd: 90, reset_interval: 'monthly' })
  const see = async (link: string, seen: string[]) => {
    await using watched = await signedInPage(browser, service, '/overview', { link })
    const bars = watched.page.locator('.budgets li')
    // Keys come after guardrails, or before them.
    for (const name of seen) await bars.filter({ hasText: name }).first().waitFor()
    for (const name of ['For all', 'ci-bot', 'hers'])
      assert.equal((await bars.filter({ hasText: name }).count()) > 0, seen.includes(name), name)
    assert.deepEqual(watched.faults, [])
  }
  await see(viewer, ['For all', 'ci-bot', 'hers'])
  await see(developer, ['hers'])
  await service.manage('PATCH', path, { limit_usd: null, reset_interval: null })
})

test('problems of the service are shown to managers, whenever they started', options, async () => {
  const { body } = await service.manage('POST', '/keys', { name: 'leased', limit: 5 })
  const db = await openDb(service.testStore.settings)
  const lease = { server: 'dead never', period: 0, spent_pico: 0n, held_pico: 1_500_000_000_000n, renewed_at: 0 }
  await db.query
    .insertInto('budget_leases')
    .values({ budget: `key:${body.data.hash}`, ...lease })
    .execute()
  await db.close()
  await using watched = await signedInPage(browser, service, '/overview')
  await watched.page.getByText('$1.50 of limits reserved by servers that do not respond').waitFor()
  assert.deepEqual(watched.faults, [])
  await using other = await signedInPage(browser, service, '/overview', { key: service.apiKey })
  await other.page
    .getByText(/No problems|has no credential/)
    .first()
    .waitFor()
  assert.equal(await other.page.getByText('reserved by servers that do not respond').count(), 0)
  assert.deepEqual(other.faults, [])
  await service.manage('DELETE', `/keys/${body.data.hash}`)
})

test('the holder of an API key sees its own requests only', options, async () => {
  await using watched = await signedInPage(browser, service, '/overview?by=key', { key: service.apiKey })
  const { page, faults } = watched
  await page.getByRole('region', { name: 'By key' }).getByRole('row').nth(1).waitFor()
  assert.equal(await page.getByText('ci-bot').count(), 0)
  assert.deepEqual(faults, [])
})

for (const colorScheme of ['light', 'dark'] as const) {
  test(`the overview is accessible in ${colorScheme}`, options, async () => {
    await using watched = await signedInPage(browser, service, '/overview?last=1h', { colorScheme })
    await watched.page.locator('.plot svg path').first().waitFor()
    assert.deepEqual(await accessibilityFaults(watched.page), [])
  })
}
