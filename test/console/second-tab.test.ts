import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { accessibilityFaults } from '../harness/browser/accessibility.ts'
import { startBrowser, withoutBrowser } from '../harness/browser/chromium.ts'
import { signedInPage, startConsole } from '../harness/browser/console.ts'
import type { TestService } from '../harness/service/service.ts'

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>
before(async () => {
  if (withoutBrowser) return
  ;[service, browser] = await Promise.all([startConsole(), startBrowser()])
})
after(async () => {
  await browser?.close()
  await service?.[Symbol.asyncDispose]()
})
const options = { skip: withoutBrowser }

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
  await conflict.getByRole('button', { name: 'Take over these changes' }).click()
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
  await conflict.getByRole('button', { name: 'Take over these changes' }).click()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Saved', { exact: true }).waitFor()
  const { name, limit_usd } = (await service.manage('GET', `/guardrails/${id}`)).body.data
  assert.deepEqual([name, limit_usd], ['Mine', 9])
})
