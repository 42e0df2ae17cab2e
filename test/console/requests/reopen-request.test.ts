import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { noBrowser } from '../../harness/browser/chromium.ts'
import { signedInPage } from '../../harness/browser/console.ts'
import { demoInBrowser } from '../../harness/browser/demo-in-browser.ts'
import { until } from '../../harness/until.ts'

const at = demoInBrowser()
const options = { skip: noBrowser }
const open = (path: string) => signedInPage(at.browser, at.world.service, path)
const run = promisify(execFile)

/** The text that a button copies to the clipboard. */
async function copied(page: Page, name: string, notice: string): Promise<string> {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.getByRole('button', { name }).click()
  await page.locator('.toast').filter({ hasText: notice }).waitFor()
  return page.evaluate('navigator.clipboard.readText()')
}

const saying = { model: 'signalbox/demo', messages: [{ role: 'user', content: 'Repeat' }] }

/** Enables storage of prompts in the workspace. @returns a stored request. */
async function keptRequest(): Promise<string> {
  const { service } = at.world
  const workspace = (await service.manage('GET', '/workspaces')).body.data[0]
  await service.manage('PATCH', `/workspaces/${workspace.id}`, { is_observability_io_logging_enabled: true })
  const [id = ''] = await at.world.ask(1)
  await until(async () => (await service.manage('GET', `/generation/content?id=${id}`)).status === 200)
  return id
}

test('a request is repeated in the chat, which reports a missing text', options, async () => {
  const [id] = await at.world.ask(1)
  await using watched = await open(`/requests/${id}`)
  const { page } = watched
  await page.getByRole('link', { name: 'Open in chat' }).click()
  await page.getByText('The prompt of that request was not stored. Enter it again.').waitFor()
  await page.getByText('openai/gpt-5.4-mini').first().waitFor()
  assert.equal(await page.getByLabel('Message').inputValue(), '')
})

test('a stored request is repeated unchanged, also by the curl command', options, async () => {
  const id = await keptRequest()
  await using watched = await open(`/requests/${id}`)
  const { page, faults } = watched
  await page.getByRole('button', { name: 'Show' }).click()
  await page.getByText('The third: DE811907980 lacks a digit.').waitFor()
  const line = await copied(page, 'Copy as curl', 'Copied as curl')
  assert.ok(line.includes('Which of these invoices has the wrong VAT id?') && !line.includes(at.world.service.apiKey))
  const { stdout } = await run('sh', ['-c', line], { env: { ...process.env, API_KEY: at.world.service.apiKey } })
  assert.match(stdout, /"lacks "[\s\S]*\[DONE\]/)
  await page.getByRole('link', { name: 'Open in chat' }).click()
  await until(async () => /wrong VAT id/.test(await page.getByLabel('Message').inputValue()))
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByRole('article', { name: 'Response of openai/gpt-5.4-mini' }).getByText('lacks a digit').waitFor()
  assert.deepEqual(faults, [])
})

test('it is asked again with its temperature, its tools and its other fields', options, async () => {
  const { service } = at.world
  await keptRequest()
  const tools = [{ type: 'function', function: { name: 'find_invoice', parameters: { type: 'object' } } }]
  const body = { ...saying, temperature: 0.3, seed: 7, tools }
  const id = (await service.ask('POST', '/chat/completions', { body })).headers.get('x-generation-id')
  await until(async () => (await service.manage('GET', `/generation/content?id=${id}`)).status === 200)
  await using watched = await open(`/requests/${id}`)
  const { page, faults } = watched
  await page.getByRole('button', { name: 'Show' }).click()
  await page.locator('.conversation').getByText('Repeat').first().waitFor()
  const line = await copied(page, 'Copy as curl', 'Copied as curl')
  for (const part of ['"temperature": 0.3', '"seed": 7', '"find_invoice"']) assert.ok(line.includes(part), line)
  await page.getByRole('link', { name: 'Open in chat' }).click()
  await until(async () => (await page.getByLabel('Message').inputValue()) === 'Repeat')
  await page.getByRole('button', { name: 'Settings' }).click()
  assert.equal(await page.getByLabel('Temperature').inputValue(), '0.3')
  assert.deepEqual(JSON.parse(await page.getByLabel('Additional fields, as JSON').inputValue()), { seed: 7, tools })
  assert.deepEqual(faults, [])
})

test('a failed response displays a request ID that can be copied, and can be retried', options, async () => {
  await using watched = await open('/requests/gen-that-is-not-there')
  const { page } = watched
  const notice = page.locator('.state').filter({ has: page.getByRole('alert').getByText('Not found') })
  const id = await notice.locator('code').textContent()
  assert.equal(await copied(page, 'Copy ID', 'Copied'), id)
  const secondResponse = page.waitForResponse((response) => response.url().includes('/generation?id='))
  await notice.getByRole('button', { name: 'Retry' }).click()
  assert.equal((await secondResponse).status(), 404)
})
