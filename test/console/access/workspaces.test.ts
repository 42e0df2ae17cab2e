import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { accessibilityFaults } from '../../harness/browser/accessibility.ts'
import { noBrowser } from '../../harness/browser/chromium.ts'
import { linkForRole, signedInPage } from '../../harness/browser/console.ts'
import { demoInBrowser } from '../../harness/browser/demo-in-browser.ts'
import { until } from '../../harness/until.ts'

const at = demoInBrowser()
const options = { skip: noBrowser }
const open = (path: string, more: object = {}) => signedInPage(at.browser, at.world.service, path, more)

const workspaces = async () => (await at.world.service.manage('GET', '/workspaces?limit=100')).body.data
const named = async (name: string) => (await workspaces()).find((one: { name: string }) => one.name === name)
const createWorkspace = async (name: string, slug: string) =>
  (await at.world.service.manage('POST', '/workspaces', { name, slug })).body.data

async function typedName(page: Page, name: string) {
  await page.getByLabel('cannot be undone').fill(name)
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
}

test('a workspace is created, and content storage is enabled and disabled', options, async () => {
  await using watched = await open('/keys/workspaces')
  const { page, faults } = watched
  await page.getByRole('button', { name: 'Create workspace' }).click()
  await page.getByLabel('Name').fill('Field research')
  assert.equal(await page.getByLabel('Slug').inputValue(), 'field-research')
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await page.getByRole('row').filter({ hasText: 'Field research' }).getByText('not stored').waitFor()
  await page.getByRole('button', { name: 'Change Field research' }).click()
  await page.getByLabel('Store prompts and responses').check()
  await page.getByLabel('Share of requests').fill('12.5')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('stored for 12.5 % of requests').waitFor()
  const stored = await named('Field research')
  assert.deepEqual([stored.is_observability_io_logging_enabled, stored.io_logging_sampling_rate], [true, 0.125])
  await page.getByRole('button', { name: 'Undo' }).click()
  await until(async () => !(await named('Field research')).is_observability_io_logging_enabled)
  assert.deepEqual(faults, [])
})

test('content storage is selected by key, and all contents are deleted by name', options, async () => {
  const { service } = at.world
  await using watched = await open('/keys/workspaces')
  const { page, faults } = watched
  const own = (await workspaces())[0]
  await page.getByRole('button', { name: `Change ${own.name}` }).click()
  await page.getByLabel('Store prompts and responses').check()
  await page.getByRole('combobox', { name: 'Requests of' }).selectOption('some')
  await page.getByLabel('Add a key').fill('ci-bot')
  await page.getByRole('group', { name: 'Matching keys' }).getByRole('button', { name: 'ci-bot' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('stored for all requests of 1 key').waitFor()
  const body = { model: 'signalbox/demo', messages: [{ role: 'user', content: 'Keep this' }] }
  const { headers } = await service.ask('POST', '/chat/completions', { key: at.world.keys.bot, body })
  const path = `/generation/content?id=${headers.get('x-generation-id')}`
  await until(async () => (await service.manage('GET', path)).status === 200)
  await page.getByRole('button', { name: `Delete stored data of ${own.name}` }).click()
  await typedName(page, own.name)
  await page.getByText('Deleted prompts and responses of 1 request').waitFor()
  assert.equal((await service.manage('GET', path)).status, 404)
  const { data } = (await service.manage('GET', '/audit?action=workspace.contents_deleted')).body
  assert.ok(data[0].actor.session_id !== null && data[0].actor.user_name)
  assert.deepEqual(faults, [])
})

test('keys of another workspace are listed and created, and the URL names it', options, async () => {
  const { slug, id } = await createWorkspace('Laboratory', 'laboratory')
  await using watched = await open('/keys')
  const { page, faults } = watched
  await page.getByRole('main').getByLabel('Workspace').selectOption('Laboratory')
  await page.waitForURL(`**/keys?workspace_id=${slug}`)
  await page.getByText('You have no keys yet').waitFor()
  await page.getByText('npx signalbox keys create').waitFor()
  await page.getByRole('button', { name: 'Create key' }).click()
  await page.getByLabel('Name').fill('bench')
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await page.getByRole('row').filter({ hasText: 'bench' }).waitFor()
  const { data } = (await at.world.service.manage('GET', `/keys?workspace_id=${id}`)).body
  assert.deepEqual(
    data.map(({ name }: { name: string }) => name),
    ['bench'],
  )
  await page.goto(new URL(`/keys/providers?workspace_id=${slug}`, page.url()).href)
  await page.getByText('No provider keys').waitFor()
  assert.deepEqual(faults, [])
})

test('a workspace that is empty is deleted once its name is typed', options, async () => {
  await createWorkspace('Doomed', 'doomed')
  await using watched = await open('/keys/workspaces')
  const { page, faults } = watched
  await page.getByRole('button', { name: 'Change Doomed' }).click()
  await typedName(page, 'Doomed')
  await page.getByText('Doomed deleted').waitFor()
  assert.equal(await named('Doomed'), undefined)
  assert.deepEqual(faults, [])
})

test('a name with ends of lines and several spaces is deleted as it is read', options, async () => {
  const { name } = await createWorkspace('Two  spaces\nand a line', 'two-spaces')
  await using watched = await open('/keys/workspaces')
  const { page, faults } = watched
  await page
    .getByRole('row')
    .filter({ hasText: 'two-spaces' })
    .getByRole('button', { name: /^Change/ })
    .click()
  await typedName(page, 'Two spaces and a line')
  await page.getByRole('row').filter({ hasText: 'two-spaces' }).waitFor({ state: 'detached' })
  assert.equal(await named(name), undefined)
  assert.deepEqual(faults, [])
})

test('requests of keys of every workspace go by their names', options, async () => {
  const { service } = at.world
  const { id } = await createWorkspace('Elsewhere', 'elsewhere')
  const { key } = (await service.manage('POST', '/keys', { name: 'far-away', workspace_id: id })).body
  const body = { model: 'signalbox/demo', messages: [{ role: 'user', content: 'From afar' }] }
  await service.ask('POST', '/chat/completions', { key, body })
  await using watched = await open('/requests?workspace_id=elsewhere')
  const { page, faults } = watched
  await page.getByRole('row').filter({ hasText: 'far-away' }).waitFor()
  // New ones come in by themselves, though the address names the workspace and the request has its id.
  await service.ask('POST', '/chat/completions', { key, body })
  await page.getByRole('row').nth(2).waitFor()
  assert.deepEqual(faults, [])
})

test('a viewer sees workspaces and cannot change them', options, async () => {
  await using watched = await open('/keys/workspaces', { link: await linkForRole(at.world.service, 'viewer') })
  const { page, faults } = watched
  await page.getByRole('row').nth(1).waitFor()
  assert.equal(await page.getByRole('button', { name: /^(Change|Delete|Make)/ }).count(), 0)
  assert.deepEqual(faults, [])
})

test('in a narrow window links do not wrap within a word', options, async () => {
  const { id, name } = await createWorkspace('Notes of the field', 'notes-of-the-field')
  const keeps = { is_observability_io_logging_enabled: true, io_logging_sampling_rate: 0.1 }
  await at.world.service.manage('PATCH', `/workspaces/${id}`, keeps)
  await using watched = await open('/keys/workspaces', { viewport: { width: 960, height: 540 } })
  const link = watched.page.getByRole('link', { name: `Requests of ${name}` })
  await until(async () => ((await link.boundingBox())?.height ?? 28) < 28)
})

for (const colorScheme of ['light', 'dark'] as const) {
  for (const width of [390, 1280]) {
    test(`workspaces are accessible at ${width} px in ${colorScheme}`, options, async () => {
      await using watched = await open('/keys/workspaces', { colorScheme, viewport: { width, height: 800 } })
      const { page } = watched
      await page.getByRole('button', { name: 'Create workspace' }).click()
      await page.getByLabel('Store prompts and responses').check()
      await page.getByLabel('Share of requests').waitFor()
      assert.deepEqual(await accessibilityFaults(page), [])
      assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true)
      assert.deepEqual(watched.faults, [])
    })
  }
}

test('a new workspace can be chosen at once, and a new slug is in the address', options, async () => {
  await createWorkspace('Renamed', 'renamed')
  await using watched = await open('/w/renamed/keys/workspaces')
  const { page, faults } = watched
  await page.getByRole('button', { name: 'Create workspace' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('Chosen at once')
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  const switcher = page.getByRole('navigation').getByRole('combobox', { name: 'Workspace' })
  await switcher.getByRole('option', { name: 'Chosen at once' }).waitFor({ state: 'attached' })
  await page.getByRole('button', { name: 'Change Renamed' }).click()
  await page.getByRole('textbox', { name: 'Slug' }).fill('other-slug')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.waitForURL('**/w/other-slug/keys/workspaces')
  await page.getByRole('row').filter({ hasText: 'other-slug' }).waitFor()
  assert.deepEqual(faults, [])
})
