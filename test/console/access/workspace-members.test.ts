import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { accessibilityFaults } from '../../harness/browser/accessibility.ts'
import { noBrowser, startBrowser } from '../../harness/browser/chromium.ts'
import { signedInPage, startConsole } from '../../harness/browser/console.ts'
import { layoutFaults } from '../../harness/browser/layout-faults.ts'
import { picture } from '../../harness/browser/picture.ts'
import type { TestService } from '../../harness/service/service.ts'
import { until } from '../../harness/until.ts'

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>
before(async () => {
  if (noBrowser) return
  ;[service, browser] = await Promise.all([startConsole(), startBrowser()])
  await service.manage('POST', '/workspaces', { name: 'Search', slug: 'search' })
  await add('Ada Lovelace', 'ada', [{ workspace: 'search', access: 'admin' }])
  await add('Grace Hopper', 'grace', [])
  await add('Alan Turing', 'alan', [{ workspace: 'search', access: 'viewer' }])
})
after(async () => {
  await browser?.close()
  await service?.[Symbol.asyncDispose]()
})
const options = { skip: noBrowser }

const add = (name: string, user: string, workspaces: object[]) =>
  service.manage('POST', '/organization/members', { name, email: `${user}@example.com`, workspaces })

async function accessIn(workspace: string, email: string): Promise<string | undefined> {
  const { body } = await service.manage('GET', `/workspaces/${workspace}/members?limit=100`)
  return body.data.find((member: { email: string }) => member.email === email)?.access
}

test('an owner adds a member to a workspace, changes the role, and removes them', options, async () => {
  await using watched = await signedInPage(browser, service, '/w/search/keys/members')
  const { page, faults } = watched
  await page.getByRole('button', { name: 'Add members' }).click()
  await page.getByLabel('Email addresses').fill('grace@example.com')
  await page.getByLabel('Role in the workspace').selectOption('viewer')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  const role = page.getByRole('combobox', { name: 'Role of Grace Hopper' })
  await role.waitFor()
  assert.equal(await accessIn('search', 'grace@example.com'), 'viewer')
  await role.selectOption('admin')
  await until(async () => (await accessIn('search', 'grace@example.com')) === 'admin')
  await page.getByRole('button', { name: 'Undo' }).click()
  await until(async () => (await accessIn('search', 'grace@example.com')) === 'viewer')
  await page.getByRole('button', { name: 'Remove Grace Hopper' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove', exact: true }).click()
  await page.getByText('Grace Hopper removed from Search').waitFor()
  assert.equal(await accessIn('search', 'grace@example.com'), undefined)
  assert.deepEqual(faults, [])
})

test('an unknown address is refused beside the field, in words of the service', options, async () => {
  await using watched = await signedInPage(browser, service, '/w/search/keys/members')
  const { page } = watched
  await page.getByRole('button', { name: 'Add members' }).click()
  await page.getByLabel('Email addresses').fill('nobody@example.com')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByRole('alert').getByText('the organization has no member "nobody@example.com"').waitFor()
  assert.deepEqual(await accessibilityFaults(page), [])
})

test('an admin of a workspace manages its members only', options, async () => {
  const { body } = await service.manage('POST', '/sessions/links', { user_id: 'ada@example.com' })
  await using watched = await signedInPage(browser, service, '/keys/members', { link: body.data.token })
  const { page, faults } = watched
  await page.getByRole('combobox', { name: 'Role of Alan Turing' }).waitFor()
  await page.getByRole('row', { name: /Ada Lovelace you/ }).waitFor()
  assert.equal(await page.getByRole('combobox', { name: 'Role of Ada Lovelace' }).count(), 0)
  assert.equal(await page.getByRole('button', { name: /Sign-in link/ }).count(), 0)
  assert.equal(await page.getByRole('link', { name: 'Members', exact: true }).count(), 0)
  await page.getByRole('link', { name: 'Workspaces', exact: true }).click()
  await page.getByRole('rowheader', { name: 'Search' }).waitFor()
  assert.equal(await page.getByRole('button', { name: 'Create workspace' }).count(), 0)
  assert.deepEqual(faults, [])
})

test('a person is added with workspaces and roles, and invited by a link that signs in', options, async () => {
  await using watched = await signedInPage(browser, service, '/keys/people')
  const { page, faults } = watched
  await page.getByRole('button', { name: 'Add member' }).click()
  await page.getByLabel('Name', { exact: true }).fill('Edith Clarke')
  await page.getByLabel('Email address').fill('edith@example.com')
  await page.getByRole('checkbox', { name: 'Default' }).uncheck()
  await page.getByRole('checkbox', { name: 'Search' }).check()
  await page.getByLabel('Role in Search').selectOption('admin')
  assert.deepEqual(await accessibilityFaults(page), [])
  await picture(page, 'add-member', 390, 'light')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByText('Sign-in link for Edith Clarke').waitFor()
  assert.equal(await accessIn('search', 'edith@example.com'), 'admin')
  assert.equal(await accessIn('default', 'edith@example.com'), undefined)
  const url = (await page.locator('.secret pre').textContent()) ?? ''
  const token = url.slice(url.indexOf('#sign-in=') + '#sign-in='.length)
  await using invited = await signedInPage(browser, service, '/keys', { link: token })
  await invited.page.locator('.account').getByText('Edith Clarke · admin · Search').waitFor()
  assert.deepEqual(faults, [])
})

for (const scheme of ['light', 'dark'] as const) {
  for (const width of [1280, 390]) {
    test(`the members of a workspace are accessible and fit: ${scheme}, ${width} px`, options, async () => {
      const context = { colorScheme: scheme, viewport: { width, height: 800 } }
      await using watched = await signedInPage(browser, service, '/w/search/keys/members', context)
      const { page, faults } = watched
      await page.getByRole('combobox', { name: 'Role of Alan Turing' }).waitFor()
      assert.deepEqual([await accessibilityFaults(page), await layoutFaults(page)], [[], []])
      assert.deepEqual(faults, [])
      await picture(page, 'workspace-members', width, scheme)
    })
  }
}
