import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { accessibilityFaults } from '../../harness/browser/accessibility.ts'
import { noBrowser, startBrowser } from '../../harness/browser/chromium.ts'
import { signedInPage, startConsole } from '../../harness/browser/console.ts'
import { picture } from '../../harness/browser/picture.ts'
import type { TestService } from '../../harness/service/service.ts'

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>
before(async () => {
  if (noBrowser) return
  ;[service, browser] = await Promise.all([startConsole(), startBrowser()])
  for (const name of ['Search', 'Support', 'Research']) {
    const slug = name.toLowerCase()
    await service.manage('POST', '/workspaces', { name, slug })
    await service.manage('POST', '/keys', { name: `${slug}-key`, workspace_id: slug })
  }
  const workspaces = [
    { workspace: 'search', access: 'admin' },
    { workspace: 'support', access: 'viewer' },
  ]
  await service.manage('POST', '/organization/members', { email: 'ada@example.com', name: 'Ada', workspaces })
})
after(async () => {
  await browser?.close()
  await service?.[Symbol.asyncDispose]()
})
const options = { skip: noBrowser }

const pathOf = (page: Page) => new URL(page.url()).pathname
const switcher = (page: Page) => page.getByRole('combobox', { name: 'Workspace', exact: true })

async function pageOfAda(path: string) {
  const { body } = await service.manage('POST', '/sessions/links', { user_id: 'ada@example.com' })
  return signedInPage(browser, service, path, { link: body.data.token })
}

test('an owner switches workspaces: lists, forms, links and Back follow', options, async () => {
  await using watched = await signedInPage(browser, service, '/keys')
  const { page, faults } = watched
  const nav = page.getByRole('navigation', { name: 'Screens' })
  await nav.getByRole('combobox', { name: 'Workspace' }).selectOption('Search')
  await page.getByRole('rowheader', { name: 'search-key' }).waitFor()
  assert.equal(pathOf(page), '/w/search/keys')
  await page.getByRole('link', { name: 'Members', exact: true }).click()
  await page.getByRole('table', { name: 'Members' }).waitFor()
  assert.equal(pathOf(page), '/w/search/keys/people')
  await page.getByRole('link', { name: 'Keys', exact: true }).click()
  await page.getByRole('button', { name: 'Create key' }).click()
  await page.getByLabel('Name').fill('second')
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await page.getByRole('rowheader', { name: 'second' }).waitFor()
  const { body } = await service.manage('GET', '/keys?workspace_id=search')
  assert.ok(body.data.some(({ name }: { name: string }) => name === 'second'))
  await nav.getByRole('combobox', { name: 'Workspace' }).selectOption('Support')
  await page.getByRole('rowheader', { name: 'support-key' }).waitFor()
  assert.equal(await page.getByText('search-key').count(), 0)
  await page.goBack()
  await page.getByRole('rowheader', { name: 'search-key' }).waitFor()
  assert.equal(await nav.getByRole('combobox', { name: 'Workspace' }).inputValue(), 'search')
  assert.deepEqual(faults, [])
})

test('an owner sees guardrails of all workspaces together, or those of one', options, async () => {
  await service.manage('POST', '/guardrails', { name: 'For search', workspace_id: 'search' })
  await service.manage('POST', '/guardrails', { name: 'For support', workspace_id: 'support' })
  await using watched = await signedInPage(browser, service, '/guardrails')
  const { page, faults } = watched
  await page.getByText('For search').waitFor()
  await page.getByText('For support').waitFor()
  assert.equal(await switcher(page).inputValue(), '')
  await page.goto(new URL('/w/support/guardrails', page.url()).href)
  await page.getByText('For support').waitFor()
  assert.equal(await page.getByText('For search').count(), 0)
  await page.getByRole('textbox', { name: 'Name of a new guardrail' }).fill('Second for support')
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await page.waitForURL(/\/w\/support\/guardrails\/./)
  const { body } = await service.manage('GET', '/guardrails?workspace_id=support')
  assert.ok(body.data.some(({ name }: { name: string }) => name === 'Second for support'))
  await page.goto(new URL('/presets', page.url()).href)
  await page.getByText('This screen shows the workspace Default.').waitFor()
  assert.deepEqual(await accessibilityFaults(page), [])
  assert.deepEqual(faults, [])
})

test('a member gets the address of their workspace, and the role there decides', options, async () => {
  await using watched = await pageOfAda('/keys')
  const { page, faults } = watched
  await page.getByRole('rowheader', { name: 'search-key' }).waitFor()
  await page.locator('.account').getByText('Ada · admin · Search').waitFor()
  assert.equal(pathOf(page), '/w/search/keys')
  assert.equal(await page.getByRole('button', { name: 'Create key' }).count(), 1)
  const names = await switcher(page).locator('option').allTextContents()
  assert.deepEqual(names, ['Search', 'Support'])
  await switcher(page).selectOption('Support')
  await page.locator('.account').getByText('Ada · viewer · Support').waitFor()
  await page.getByRole('rowheader', { name: 'support-key' }).waitFor()
  assert.equal(await page.getByRole('button', { name: 'Create key' }).count(), 0)
  assert.deepEqual(faults, [])
})

test('live updates and downloads of a member are those of the workspace in the address', options, async () => {
  const { key } = (await service.manage('POST', '/keys', { name: 'live', workspace_id: 'support' })).body
  await using watched = await pageOfAda('/w/support/requests')
  const { page, faults } = watched
  const csv = page.getByRole('link', { name: 'Download as CSV' })
  assert.match((await csv.getAttribute('href'))!, /[?&]workspace_id=support\b/)
  const empty = page.getByText(/No requests/).first()
  await empty.waitFor()
  const body = { model: 'signalbox/demo', messages: [{ role: 'user', content: 'Hello' }] }
  assert.equal((await service.ask('POST', '/chat/completions', { key, body })).status, 200)
  await empty.waitFor({ state: 'detached' })
  assert.deepEqual(faults, [])
})

test('a workspace out of reach gets a page that names it and the own ones', options, async () => {
  await using watched = await pageOfAda('/w/research/keys')
  const { page } = watched
  await page.getByRole('heading', { name: 'Workspace not available' }).waitFor()
  await page.getByText('The workspace research does not exist').waitFor()
  assert.deepEqual(await accessibilityFaults(page), [])
  for (const [width, scheme] of [
    [1280, 'light'],
    [390, 'dark'],
  ] as const) {
    await page.emulateMedia({ colorScheme: scheme })
    await picture(page, 'workspace-missing', width, scheme)
  }
  await page.getByRole('main').getByRole('link', { name: 'Support' }).click()
  await page.locator('.account').getByText('Ada · viewer · Support').waitFor({ state: 'attached' })
  await page.waitForURL('**/w/support/requests')
})

test('a user without workspaces sees whom to contact', options, async () => {
  const workspaces = [{ workspace: 'search' }]
  await service.manage('POST', '/organization/members', { email: 'eve@example.com', name: 'Eve', workspaces })
  const { body } = await service.manage('POST', '/sessions/links', { user_id: 'eve@example.com' })
  await using watched = await signedInPage(browser, service, '/models', { link: body.data.token })
  const { page } = watched
  await page.locator('.account').getByText('Eve · developer · Search').waitFor()
  const removal = { user_ids: ['eve@example.com'], disable_keys: true }
  await service.manage('POST', '/workspaces/search/members/remove', removal)
  await page.goto(new URL('/requests', page.url()).href)
  await page.getByRole('heading', { name: 'No workspace yet' }).waitFor()
  await page.getByText('Ask Owner (owner@localhost) to add you to one').waitFor()
  assert.deepEqual(await accessibilityFaults(page), [])
  await picture(page, 'no-workspace', 1280, 'light')
  await picture(page, 'no-workspace', 390, 'light')
  await service.manage('POST', '/workspaces/support/members/add', { user_ids: ['eve@example.com'] })
  await page.getByRole('button', { name: 'Check again' }).click()
  await page.locator('.account').getByText('Eve · developer · Support').waitFor({ state: 'attached' })
})

test('one form creates a key with workspace, budget, models, owner and expiry', options, async () => {
  await using watched = await signedInPage(browser, service, '/keys', { viewport: { width: 390, height: 800 } })
  const { page, faults } = watched
  await page.getByRole('button', { name: 'Create key' }).click()
  const form = page.getByRole('dialog', { name: 'Create key' })
  await form.getByLabel('Name').fill('batch')
  await form.getByLabel('Workspace').selectOption('Search')
  await form.getByLabel('Limit in USD').fill('7')
  await form.getByLabel('Resets').selectOption('weekly')
  await form.getByLabel('Expires').fill('2099-12-31')
  await form.getByLabel('Add to models').fill('signalbox dem')
  await form.getByRole('button', { name: 'signalbox/demo', exact: true }).click()
  await form.getByLabel('Owner (empty').fill('ada@example.com')
  assert.deepEqual(await accessibilityFaults(page), [])
  await picture(page, 'create-key', 390, 'light')
  await form.getByRole('button', { name: 'Create', exact: true }).click()
  await page.getByText('Secret of batch').waitFor()
  const key = (await service.manage('GET', '/keys?workspace_id=search&q=batch')).body.data[0]
  assert.deepEqual(
    [key.limit, key.limit_reset, key.creator_email, key.expires_at.slice(0, 4)],
    [7, 'weekly', 'ada@example.com', '2099'],
  )
  const guardrails = (await service.manage('GET', '/guardrails?workspace_id=search')).body.data
  const created = guardrails.find(({ name }: { name: string }) => name === 'Models of batch')
  assert.match(created.allowed_models.join(), /^signalbox\/demo[\d-]*$/)
  const assigned = (await service.manage('GET', `/guardrails/${created.id}/assignments/keys`)).body.data
  assert.deepEqual(
    assigned.map(({ key_hash }: { key_hash: string }) => key_hash),
    [key.hash],
  )
  assert.deepEqual(faults, [])
})

test('a key whose models are refused is not created', options, async () => {
  await using watched = await signedInPage(browser, service, '/w/search/keys')
  const { page } = watched
  await page.getByRole('button', { name: 'Create key' }).click()
  const form = page.getByRole('dialog', { name: 'Create key' })
  await form.getByLabel('Name').fill('never')
  const listed = Promise.withResolvers<void>()
  await page.route('**/api/v1/models/user', async (route) => {
    await listed.promise
    await route.fallback()
  })
  const models = form.getByLabel('Add to models')
  await models.fill('nobody/unknown')
  // While the list is loaded, it is unknown whether a model matches.
  await models.press('Enter')
  assert.equal(await models.inputValue(), 'nobody/unknown')
  listed.resolve()
  await form.getByText('No matching model.').waitFor()
  await models.press('Enter')
  await form.getByRole('button', { name: 'Create', exact: true }).click()
  await form.getByRole('alert').getByText('nobody/unknown').waitFor()
  const { body } = await service.manage('GET', '/keys?workspace_id=search&q=never&include_disabled=true')
  assert.equal(body.total_count, 0)
})
