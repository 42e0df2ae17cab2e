import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accessibilityFaults } from '../../harness/browser/accessibility.ts'
import { noBrowser } from '../../harness/browser/chromium.ts'
import { signedInPage } from '../../harness/browser/console.ts'
import { demoInBrowser } from '../../harness/browser/demo-in-browser.ts'

const at = demoInBrowser()
const options = { skip: noBrowser }
test('the search opens a request by its id, also pasted as an address', options, async () => {
  const [id = ''] = await at.world.ask(1)
  await using watched = await signedInPage(at.browser, at.world.service, '/models')
  const { page, faults } = watched
  await page.getByRole('button', { name: 'Go to…' }).click()
  await page.getByRole('combobox', { name: 'Search' }).fill(`${new URL(page.url()).origin}/requests/${id}?last=1h`)
  await page.getByRole('option').filter({ hasText: id }).click()
  await page.waitForURL(`**/requests/${id}`)
  await page.goto(new URL('/requests', page.url()).href)
  await page.getByLabel('Find requests').fill(id)
  await page.keyboard.press('Enter')
  await page.waitForURL(`**/requests/${id}`)
  assert.deepEqual(faults, [])
})

test('the search finds parts of names in any case, and actions', options, async () => {
  const preset = { chat: { model: 'google/gemini-3-flash' } }
  await at.world.service.manage('POST', '/presets/invoices/versions', preset)
  await using watched = await signedInPage(at.browser, at.world.service, '/models')
  const { page, faults } = watched
  await page.getByRole('button', { name: 'Go to…' }).click()
  const field = page.getByRole('combobox', { name: 'Search' })
  for (const [typed, hint] of [
    ['GEMINI', 'model gemini-3-flash'],
    ['deepIN', 'provider deepinfra'],
    ['CI-b', 'key sb-v1'],
    ['contract', 'guardrail'],
    ['Invoi', 'preset'],
    ['create key', 'Keys'],
    ['make guardrail', 'Guardrails'],
    ['reload', 'Service'],
  ] as const) {
    await field.fill(typed)
    await page.getByRole('option').filter({ hasText: hint }).first().waitFor()
  }
  await field.fill('nosuchthing')
  await page.getByText('No results.').waitFor()
  assert.deepEqual(await accessibilityFaults(page), [])
  assert.deepEqual(faults, [])
})

test('a word in the field of the request log filters by its kind', options, async () => {
  await using watched = await signedInPage(at.browser, at.world.service, '/requests')
  const { page, faults } = watched
  await page.getByLabel('Find requests').fill('CI-BOT')
  await page.keyboard.press('Enter')
  await page.getByRole('option').filter({ hasText: 'key sb-v1' }).click()
  await page.waitForURL(/\/requests\?api_key_hash=[0-9a-f]{64}$/)
  assert.deepEqual(faults, [])
})

test('the selected result stays in view when the arrow keys move', options, async () => {
  await using watched = await signedInPage(at.browser, at.world.service, '/models')
  const { page, faults } = watched
  await page.getByRole('button', { name: 'Go to…' }).click()
  await page.getByRole('option').nth(15).waitFor()
  for (let step = 0; step < 15; step++) await page.keyboard.press('ArrowDown')
  const [list, selected] = await Promise.all([
    page.getByRole('listbox').boundingBox(),
    page.getByRole('option', { selected: true }).boundingBox(),
  ])
  assert.ok(selected!.y + selected!.height <= list!.y + list!.height + 1)
  assert.deepEqual(faults, [])
})
