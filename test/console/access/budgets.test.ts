import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { accessibilityFaults } from '../../harness/browser/accessibility.ts'
import { noBrowser, startBrowser } from '../../harness/browser/chromium.ts'
import { linkForRole, signedInPage, startConsole } from '../../harness/browser/console.ts'
import { layoutFaults } from '../../harness/browser/layout-faults.ts'
import { picture } from '../../harness/browser/picture.ts'
import type { TestService } from '../../harness/service/service.ts'

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>
let hash = ''
before(async () => {
  if (noBrowser) return
  ;[service, browser] = await Promise.all([startConsole(), startBrowser()])
  await service.manage('PUT', '/organization/budgets/monthly', { limit_usd: 1000 })
  await service.manage('PUT', '/workspaces/default/budgets/weekly', { limit_usd: 20 })
  const { body } = await service.manage('POST', '/keys', { name: 'ci', limit: 2, limit_reset: 'daily' })
  hash = body.data.hash
})
after(async () => {
  await browser?.close()
  await service?.[Symbol.asyncDispose]()
})
const options = { skip: noBrowser }

test('a budget is set, refused at the field, changed and removed', options, async () => {
  await using watched = await signedInPage(browser, service, '/keys/budgets')
  const { page } = watched
  const section = page.getByRole('region', { name: 'Budgets of the workspace Default' })
  await section.getByRole('button', { name: /^Set the daily budget/ }).click()
  const rowOf = (interval: string) => section.getByRole('row').filter({ hasText: interval })
  const field = page.getByLabel('Limit in USD')
  await field.fill('25')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('alert').getByText('must be smaller than the weekly budget, 20 USD').waitFor()
  assert.equal(await field.getAttribute('aria-invalid'), 'true')
  assert.deepEqual(await accessibilityFaults(page), [])
  await picture(page, 'budget-refused', 390, 'light')
  await field.fill('5')
  await page.getByLabel('Notify webhooks at').fill('60, 95')
  await page.getByRole('button', { name: 'Save' }).click()
  await rowOf('daily').getByText('$5.00').first().waitFor()
  const saved = (await service.manage('GET', '/workspaces/default/budgets/daily')).body.data
  assert.deepEqual(saved.thresholds, [60, 95])
  await section.getByRole('button', { name: /^Change the daily budget/ }).click()
  assert.equal(await page.getByLabel('Notify webhooks at').inputValue(), '60, 95')
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await rowOf('daily').getByText('none').waitFor()
  const { body } = await service.manage('GET', '/workspaces/default/budgets')
  assert.equal(body.data.length, 1)
})

test('the page of a key lists its budgets in the order of checking', options, async () => {
  await using watched = await signedInPage(browser, service, '/keys')
  const { page, faults } = watched
  await page.getByRole('link', { name: 'ci', exact: true }).click()
  const table = page.getByRole('table', { name: 'Budgets of ci' })
  await table.waitFor()
  assert.deepEqual(await table.locator('tbody th').allTextContents(), [
    'Organization, monthly',
    'Workspace, weekly',
    'Limit of this key, daily',
  ])
  await page.getByRole('link', { name: 'Change Workspace, weekly' }).waitFor()
  await page.getByRole('button', { name: 'Change Limit of this key, daily' }).click()
  await page.getByLabel('Limit in USD').fill('3')
  await page.getByRole('button', { name: 'Save' }).click()
  await table.getByText('$3.00').first().waitFor()
  await service.manage('PATCH', `/keys/${hash}`, { limit: 2 })
  assert.deepEqual(faults, [])
})

test('a developer sees the budgets of an own key, and no screen of budgets', options, async () => {
  await using watched = await signedInPage(browser, service, '/keys', { link: await linkForRole(service, 'developer') })
  const { page, faults } = watched
  await page.getByRole('button', { name: 'Create key' }).click()
  await page.getByLabel('Name').fill('mine')
  await page.getByRole('button', { name: 'Create', exact: true }).click()
  await page.getByRole('link', { name: 'mine', exact: true }).click()
  const table = page.getByRole('table', { name: 'Budgets of mine' })
  await table.waitFor()
  assert.deepEqual(await table.locator('tbody th').allTextContents(), ['Organization, monthly', 'Workspace, weekly'])
  await page.getByRole('link', { name: 'All keys' }).click()
  await page.getByRole('table', { name: 'Keys' }).waitFor()
  assert.equal(await page.getByRole('link', { name: 'Budgets', exact: true }).count(), 0)
  assert.deepEqual(faults, [])
})

for (const colorScheme of ['light', 'dark'] as const) {
  for (const width of [1280, 390]) {
    test(`budgets and the page of a key are accessible and fit: ${colorScheme}, ${width} px`, options, async () => {
      const look = { colorScheme, viewport: { width, height: 800 } }
      await using watched = await signedInPage(browser, service, '/keys/budgets', look)
      const { page, faults } = watched
      await page.getByRole('table', { name: 'Budgets of the workspace Default' }).waitFor()
      await page.getByRole('table', { name: /organization/ }).waitFor()
      assert.deepEqual([await accessibilityFaults(page), await layoutFaults(page)], [[], []])
      await picture(page, 'budgets', width, colorScheme)
      await page.goto(new URL(`/keys/key/${hash}`, page.url()).href)
      await page.getByRole('table', { name: 'Budgets of ci' }).waitFor()
      await page.getByText('None. The key can use').or(page.locator('.key-guardrails')).waitFor()
      assert.deepEqual([await accessibilityFaults(page), await layoutFaults(page)], [[], []])
      await picture(page, 'key-page', width, colorScheme)
      assert.deepEqual(faults, [])
    })
  }
}
