import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { accessibilityFaults } from '../../harness/browser/accessibility.ts'
import { noBrowser, startBrowser } from '../../harness/browser/chromium.ts'
import { linkForRole, signedInPage, startConsole } from '../../harness/browser/console.ts'
import type { TestService } from '../../harness/service/service.ts'
import { until } from '../../harness/until.ts'

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
const settings = {
  system_prompt: 'Answer with a haiku.',
  config: { model: 'signalbox/demo', temperature: 0.2, seed: 7 },
}
const create = (slug: string) => service.manage('POST', `/presets/${slug}/versions`, { settings })
const read = async (slug: string) => (await service.manage('GET', `/presets/${slug}`)).body.data.designated_version
const version = async (slug: string, number: number) =>
  (await service.manage('GET', `/presets/${slug}/versions/${number}`)).body.data

test('a draft is checked, tried, saved without use, used and reverted', options, async () => {
  await create('sea')
  await using watched = await signedInPage(browser, service, '/presets/sea')
  const { page, faults } = watched
  await page.getByRole('link', { name: 'Edit' }).click()
  const temperature = page.getByLabel('Temperature')
  assert.equal(await temperature.inputValue(), '0.2')
  await page.getByRole('textbox', { name: 'Add to fallback models' }).fill('demo')
  await page.getByRole('group', { name: 'Matching models' }).getByRole('button').first().waitFor()
  await temperature.fill('warm')
  await page.getByText('expected number, received string').waitFor()
  assert.equal(await page.getByRole('button', { name: 'Save version' }).isDisabled(), true)
  // The refusal of the service is expected.
  faults.length = 0
  await temperature.fill('0.9')
  await page.getByText('+ 0.9', { exact: true }).waitFor()
  await page.getByLabel('Message').fill('Describe the sea')
  await page.getByRole('button', { name: 'Send' }).click()
  await page
    .getByRole('article', { name: 'Response of the draft' })
    .getByRole('link', { name: 'View request' })
    .waitFor()
  assert.deepEqual(await accessibilityFaults(page), [])
  await page.getByRole('button', { name: 'Save version' }).click()
  await page.getByText('Version 2 is saved. Requests still use version 1.').waitFor()
  assert.equal((await read('sea')).version, 1)
  assert.deepEqual((await version('sea', 2)).config, { ...settings.config, temperature: 0.9 })
  await page.getByRole('button', { name: 'Use version 2' }).click()
  await until(async () => (await read('sea')).version === 2)
  await page.getByRole('button', { name: 'Undo' }).click()
  await until(async () => (await read('sea')).version === 1)
  assert.deepEqual(faults, [])
})

test('leaving the editor cancels the request of a trial', options, async () => {
  await create('pond')
  await using watched = await signedInPage(browser, service, '/presets/pond?edit=1')
  const { page } = watched
  const cancelled = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/chat/completions'))
  const isSent = page.waitForRequest((request) => request.url().endsWith('/chat/completions'))
  // The request never gets a response.
  await page.route('**/chat/completions', () => {})
  await page.getByLabel('Message').fill('Describe the pond')
  await page.getByRole('button', { name: 'Send' }).click()
  await isSent
  await page.getByRole('link', { name: 'Keys' }).first().click()
  await cancelled
})

test('the draft of a second tab is refused, and can take over the other change', options, async () => {
  await create('tide')
  await using watched = await signedInPage(browser, service, '/presets/tide?edit=1')
  const { page, faults } = watched
  await page.getByLabel('Temperature').fill('0.5')
  await service.manage('POST', '/presets/tide/versions', {
    settings: { ...settings, config: { ...settings.config, seed: 8 } },
  })
  await page.getByRole('button', { name: 'Save version' }).click()
  const conflict = page.getByRole('alert', { name: 'Changed by others' })
  await conflict.getByText('+ 8', { exact: true }).waitFor()
  assert.equal(await page.getByRole('button', { name: 'Save version' }).isDisabled(), true)
  assert.deepEqual(await accessibilityFaults(page), [])
  await conflict.getByRole('button', { name: 'Merge these changes' }).click()
  await page.getByRole('button', { name: 'Save version' }).click()
  await page.getByText('Version 3 is saved. Requests still use version 1.').waitFor()
  assert.deepEqual((await version('tide', 3)).config, { ...settings.config, temperature: 0.5, seed: 8 })
  assert.ok(
    faults.every((fault) => fault.includes('412')),
    faults.join(),
  )
})

test('a new preset is created in the editor', options, async () => {
  await using watched = await signedInPage(browser, service, '/presets')
  const { page, faults } = watched
  await page.getByLabel('Name of a new preset').fill('fresh')
  await page.getByRole('button', { name: 'Create preset' }).click()
  await page.getByRole('textbox', { name: 'Add to model' }).fill('demo')
  await page.getByRole('button', { name: 'signalbox/demo', exact: true }).click()
  await page.getByLabel('System prompt').fill('Response in Latin.')
  await page.getByRole('button', { name: 'Save version' }).click()
  await page.getByText('Version 1 is saved. Requests can use it.').waitFor()
  const { system_prompt, config } = await read('fresh')
  assert.deepEqual([system_prompt, config], ['Response in Latin.', { model: 'signalbox/demo' }])
  assert.deepEqual(faults, [])
})

test('the address of a new preset shows a developer that it does not exist', options, async () => {
  const link = await linkForRole(service, 'developer')
  await using watched = await signedInPage(browser, service, '/presets/unwritten?edit=new', { link })
  await watched.page.getByText('Preset "unwritten" not found.').waitFor()
})
