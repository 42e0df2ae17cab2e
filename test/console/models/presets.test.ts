import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { accessibilityFaults } from '../../harness/browser/accessibility.ts'
import { noBrowser, startBrowser } from '../../harness/browser/chromium.ts'
import { signedInPage, startConsole } from '../../harness/browser/console.ts'
import type { TestService } from '../../harness/service/service.ts'
import { untilMetered } from '../../harness/service/world/generation-record.ts'
import { until } from '../../harness/until.ts'

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>
before(async () => {
  if (noBrowser) return
  ;[service, browser] = await Promise.all([startConsole(), startBrowser()])
  for (const temperature of [0.2, 0.9]) {
    const messages = [{ role: 'system', content: 'Answer with a haiku.' }]
    const body = { model: 'signalbox/demo', temperature, messages }
    await service.manage('POST', '/presets/haiku/chat/completions', body)
  }
})
after(async () => {
  await browser?.close()
  await service?.[Symbol.asyncDispose]()
})
const options = { skip: noBrowser }
const used = async () => (await service.manage('GET', '/presets/haiku')).body.data.designated_version.version

test('a preset shows a diff of two versions; another one is activated and reverted', options, async () => {
  await using watched = await signedInPage(browser, service, '/presets')
  const { page, faults } = watched
  await page.getByRole('row').getByText('@preset/haiku').click()
  await page.waitForURL('**/presets/haiku')
  assert.equal(
    await page.getByRole('link', { name: 'Open in chat' }).getAttribute('href'),
    '/chat?model=%40preset%2Fhaiku',
  )
  await page.getByRole('button', { name: 'Version 1' }).click()
  await page.waitForURL(/version=1&against=2/)
  await page.getByText('− 0.9', { exact: true }).waitFor()
  await page.getByText('+ 0.2', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Use version 1' }).click()
  await until(async () => (await used()) === 1)
  await page.getByRole('button', { name: 'Undo' }).click()
  await until(async () => (await used()) === 2)
  assert.deepEqual(faults, [])
})

test('two versions respond side by side, whichever is in use', options, async () => {
  await using watched = await signedInPage(browser, service, '/presets/haiku?version=1&against=2')
  const { page, faults } = watched
  await page.getByRole('link', { name: 'Compare in chat' }).click()
  await page.getByLabel('Message').fill('Describe the sea')
  await page.keyboard.press('Enter')
  for (const version of [1, 2]) {
    const reply = page.getByRole('article', { name: `Response of @preset/haiku@${version}` })
    const path = await reply.getByRole('link', { name: 'View request' }).getAttribute('href')
    const { preset } = await untilMetered(service, decodeURIComponent(path!.split('/').at(-1)!))
    assert.equal(preset.version, version)
  }
  assert.deepEqual(faults, [])
})

for (const colorScheme of ['light', 'dark'] as const) {
  for (const width of [1280, 390]) {
    test(`presets are accessible in ${colorScheme} at ${width} px`, options, async () => {
      const viewport = { width, height: 800 }
      await using watched = await signedInPage(browser, service, '/presets', { colorScheme, viewport })
      const { page, faults } = watched
      await page.getByRole('row').getByText('@preset/haiku').waitFor()
      assert.deepEqual(await accessibilityFaults(page), [])
      await page.goto(new URL('/presets/haiku?version=1&against=2', page.url()).href)
      await page.getByText('− 0.9', { exact: true }).waitFor()
      assert.deepEqual(await accessibilityFaults(page), [])
      assert.equal(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), 0)
      assert.deepEqual(faults, [])
    })
  }
}
