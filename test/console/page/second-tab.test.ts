import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { accessibilityFaults } from '../../harness/browser/accessibility.ts'
import { noBrowser, startBrowser } from '../../harness/browser/chromium.ts'
import { signedInPage, startConsole } from '../../harness/browser/console.ts'
import type { TestService } from '../../harness/service/service.ts'

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>
before(async () => {
  if (noBrowser) return
  ;[service, browser] = await Promise.all([startConsole(), startBrowser()])
})
after(async () => {
  await browser?.close()
  await service?.[Symbol.asyncDispose]()
})
const options = { skip: noBrowser }

test('a key that was changed meanwhile is not saved until the changes are taken over', options, async () => {
  const { hash } = (await service.manage('POST', '/keys', { name: 'shared', limit: 5 })).body.data
  await using watched = await signedInPage(browser, service, '/keys')
  const { page, faults } = watched
  const read = page.waitForResponse((response) => response.url().endsWith(`/keys/${hash}`))
  await page.getByRole('button', { name: 'Change shared' }).click()
  await read
  await page.getByLabel('Name', { exact: true }).fill('mine')
  await service.manage('PATCH', `/keys/${hash}`, { limit: 9 })
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  const conflict = page.getByRole('alert', { name: 'Changed by others' })
  await conflict.getByText('+ 9', { exact: true }).waitFor()
  assert.equal(await page.getByRole('button', { name: 'Save', exact: true }).isDisabled(), true)
  assert.deepEqual(await accessibilityFaults(page), [])
  await conflict.getByRole('button', { name: 'Merge these changes' }).click()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('shared updated').waitFor()
  const { name, limit } = (await service.manage('GET', `/keys/${hash}`)).body.data
  assert.deepEqual([name, limit], ['mine', 9])
  assert.ok(
    faults.every((fault) => fault.includes('412')),
    faults.join(),
  )
})

test('a guardrail that was changed meanwhile keeps the changes of both', options, async () => {
  const { id } = (await service.manage('POST', '/guardrails', { name: 'House', limit_usd: 5 })).body.data
  await using watched = await signedInPage(browser, service, `/guardrails/${id}`)
  const { page } = watched
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Mine')
  await service.manage('PATCH', `/guardrails/${id}`, { limit_usd: 9 })
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  const conflict = page.getByRole('alert', { name: 'Changed by others' })
  await conflict.getByText('+ 9', { exact: true }).waitFor()
  await conflict.getByRole('button', { name: 'Merge these changes' }).click()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Saved', { exact: true }).waitFor()
  const { name, limit_usd } = (await service.manage('GET', `/guardrails/${id}`)).body.data
  assert.deepEqual([name, limit_usd], ['Mine', 9])
})

/** Waits for the object that a dialog reads when it opens. */
const readOf = (page: Page, path: string) => page.waitForResponse((response) => response.url().endsWith(path))

async function takeOver(page: Page, theirs: string): Promise<void> {
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  const conflict = page.getByRole('alert', { name: 'Changed by others' })
  await conflict.getByText(`+ ${theirs}`, { exact: true }).waitFor()
  await conflict.getByRole('button', { name: 'Merge these changes' }).click()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
}

test('a budget that was changed meanwhile keeps the changes of both', options, async () => {
  const path = '/workspaces/default/budgets/weekly'
  await service.manage('PUT', path, { limit_usd: 20 })
  await using watched = await signedInPage(browser, service, '/keys/budgets')
  const { page } = watched
  const read = readOf(page, '/budgets/weekly')
  await page.getByRole('button', { name: /^Change the weekly budget/ }).click()
  await read
  await page.getByLabel('Notify webhooks at').fill('70')
  await service.manage('PUT', path, { limit_usd: 30, include_byok_in_budgets: true })
  await takeOver(page, '30')
  await page.getByText('The weekly budget is saved').waitFor()
  const { data, include_byok_in_budgets } = (await service.manage('GET', path)).body
  assert.deepEqual([data.limit_usd, data.thresholds, include_byok_in_budgets], [30, [70], true])
})

test('a budget that was created meanwhile is not overwritten unseen', options, async () => {
  const path = '/workspaces/default/budgets/monthly'
  await using watched = await signedInPage(browser, service, '/keys/budgets')
  const { page } = watched
  await page.getByRole('button', { name: /^Set the monthly budget, .*workspace/ }).click()
  await page.getByLabel('Limit in USD').fill('500')
  await service.manage('PUT', path, { limit_usd: 400, thresholds: [60] })
  await takeOver(page, '60')
  await page.getByText('The monthly budget is saved').waitFor()
  const { limit_usd, thresholds } = (await service.manage('GET', path)).body.data
  assert.deepEqual([limit_usd, thresholds], [500, [60]])
})

test('the alerts of a key that were changed meanwhile are not overwritten unseen', options, async () => {
  const { hash } = (await service.manage('POST', '/keys', { name: 'alerted', limit: 5 })).body.data
  await using watched = await signedInPage(browser, service, `/keys/key/${hash}`)
  const { page } = watched
  await page.getByText('Webhooks are notified at 50, 80, 100 % of the limit.').waitFor()
  const read = readOf(page, '/thresholds')
  await page.getByRole('button', { name: 'Change alerts' }).click()
  await read
  await page.getByLabel('Notify webhooks at').fill('90')
  await service.manage('PUT', `/keys/${hash}/thresholds`, { thresholds: [10] })
  await takeOver(page, '10')
  await page.getByText('Webhooks are notified at 90 % of the limit.').waitFor()
  assert.deepEqual(await accessibilityFaults(page), [])
})

test('a webhook that was changed meanwhile keeps the changes of both', options, async () => {
  const { id } = (await service.manage('POST', '/webhooks', { url: 'https://hooks.example.com/a' })).body.data
  await using watched = await signedInPage(browser, service, '/interns?part=webhooks')
  const { page } = watched
  const read = readOf(page, `/webhooks/${id}`)
  await page.getByRole('button', { name: /^Change/ }).click()
  await read
  await page.getByLabel('Format').selectOption('slack')
  await service.manage('PATCH', `/webhooks/${id}`, { description: 'Theirs' })
  await takeOver(page, 'Theirs')
  await page.getByText('Saved', { exact: true }).waitFor()
  const { format, description } = (await service.manage('GET', `/webhooks/${id}`)).body.data
  assert.deepEqual([format, description], ['slack', 'Theirs'])
})

test('a provider key that was changed meanwhile keeps the changes of both', options, async () => {
  const credential = { provider: 'openai', key: 'sk-secret', name: 'Ours' }
  const { id } = (await service.manage('POST', '/byok', credential)).body.data
  await using watched = await signedInPage(browser, service, '/keys/providers')
  const { page } = watched
  const read = readOf(page, `/byok/${id}`)
  await page.getByRole('button', { name: /^Change/ }).click()
  await read
  await page.getByRole('dialog').getByRole('combobox').selectOption('after')
  await service.manage('PATCH', `/byok/${id}`, { name: 'Theirs' })
  await takeOver(page, 'Theirs')
  await page.getByText('Ours updated').waitFor()
  const { is_fallback, name } = (await service.manage('GET', `/byok/${id}`)).body.data
  assert.deepEqual([is_fallback, name], [true, 'Theirs'])
})

/** Clicks "Undo" after somebody else has changed the same object, and waits for the refusal. */
async function undoTooLate(page: Page) {
  await page.getByRole('button', { name: 'Undo', exact: true }).click()
  await page.getByText('has changed since you read it').waitFor()
}

test('"Undo" of a webhook that was changed since reverts nothing', options, async () => {
  const { id } = (await service.manage('POST', '/webhooks', { url: 'https://hooks.example.com/last' })).body.data
  await using watched = await signedInPage(browser, service, '/interns?part=webhooks')
  const { page } = watched
  const read = readOf(page, `/webhooks/${id}`)
  await page.getByRole('button', { name: /^Change .*last/ }).click()
  await read
  await page.getByLabel('Description').fill('Ours')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Saved', { exact: true }).waitFor()
  await service.manage('PATCH', `/webhooks/${id}`, { description: 'Theirs' })
  await undoTooLate(page)
  assert.equal((await service.manage('GET', `/webhooks/${id}`)).body.data.description, 'Theirs')
})

test('"Undo" of a provider key that was changed since reverts nothing', options, async () => {
  const credential = { provider: 'deepinfra', key: 'sk-secret', name: 'Undone' }
  const { id } = (await service.manage('POST', '/byok', credential)).body.data
  await using watched = await signedInPage(browser, service, '/keys/providers')
  const { page } = watched
  const read = readOf(page, `/byok/${id}`)
  await page.getByRole('button', { name: 'Change Undone' }).click()
  await read
  await page.getByLabel('Display name').fill('Ours')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Undone updated').waitFor()
  await service.manage('PATCH', `/byok/${id}`, { name: 'Theirs' })
  await undoTooLate(page)
  assert.equal((await service.manage('GET', `/byok/${id}`)).body.data.name, 'Theirs')
})
