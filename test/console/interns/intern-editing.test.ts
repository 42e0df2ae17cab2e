import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { accessibilityFaults } from '../../harness/browser/accessibility.ts'
import { noBrowser, startBrowser } from '../../harness/browser/chromium.ts'
import { signedInPage } from '../../harness/browser/console.ts'
import { type InternChatService, startInternChatService } from '../../harness/interns/intern-chat.ts'
import { until } from '../../harness/until.ts'

let talk: InternChatService
let browser: Awaited<ReturnType<typeof startBrowser>>
before(async () => {
  if (noBrowser) return
  ;[talk, browser] = await Promise.all([
    startInternChatService({ settings: { console: 'true' as never } }),
    startBrowser(),
  ])
})
after(async () => {
  await browser?.close()
  await talk?.[Symbol.asyncDispose]()
})
const options = { skip: noBrowser }

test('an intern is created, prompted, changed and deleted', options, async () => {
  await using watched = await signedInPage(browser, talk, '/interns', { key: talk.apiKey })
  const { page, faults } = watched
  await page.getByRole('button', { name: 'Create intern' }).click()
  const dialog = page.getByRole('dialog', { name: 'Create intern' })
  await dialog.getByLabel('Name', { exact: true }).fill('grace')
  await dialog.getByLabel('Cost of a turn, USD').fill('0.5')
  await dialog.getByText('its commands run without a sandbox by default').waitFor()
  // The mode has no default: without a choice nothing is sent.
  await dialog.getByRole('button', { name: 'Create', exact: true }).click()
  assert.equal((await talk.ask('GET', '/interns/grace')).status, 404)
  await dialog.getByLabel(/^Manual/).check()
  assert.deepEqual(await accessibilityFaults(page), [])
  await dialog.getByRole('button', { name: 'Create', exact: true }).click()

  await page.getByRole('heading', { name: 'grace', level: 1 }).waitFor()
  const created = (await talk.ask('GET', '/interns/grace')).body
  assert.deepEqual([created.approval_mode, created.budget, created.agent], ['manual', { max_cost_usd: 0.5 }, null])
  const message = page.getByLabel('Start a session with grace')
  await message.fill('Hello')
  await message.press('Enter')
  const requests = page.locator('.of-request')
  await requests.first().waitFor()
  const totals = page.getByRole('region', { name: 'Totals' })
  await totals.getByText(/^1 turn · 0 tool calls · \d+ model requests? · \$/).waitFor()
  assert.equal(await requests.first().getByRole('link').count(), 1)
  const entries = await page.getByRole('list', { name: 'Transcript' }).locator('> li').allTextContents()
  assert.match(entries[0]!, /^prompt/)
  assert.match(entries[1]!, /^model request/)

  await page.getByRole('link', { name: 'grace' }).click()
  await page.getByRole('button', { name: 'Change', exact: true }).click()
  const change = page.getByRole('dialog', { name: 'Change grace' })
  await change.getByLabel('Instructions for every session').fill('Be brief.')
  await change.getByLabel('Visible to').selectOption('workspace')
  await change.getByLabel('Cost of a turn, USD').fill('')
  await change.getByRole('button', { name: 'Save' }).click()
  await page.getByText('grace updated. Takes effect at the next start').waitFor()
  const { instructions, visibility, budget, approval_mode } = (await talk.ask('GET', '/interns/grace')).body
  assert.deepEqual([instructions, visibility, budget, approval_mode], ['Be brief.', 'workspace', null, 'manual'])

  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByRole('dialog').getByRole('textbox').fill('grace')
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByText('grace is being deleted').waitFor()
  await until(async () => (await talk.ask('GET', '/interns/grace')).status === 404)
  assert.deepEqual(faults, [])
})

test('an intern that was changed meanwhile keeps the changes of both', options, async () => {
  await using watched = await signedInPage(browser, talk, `/interns/${talk.id}`, { key: talk.apiKey })
  const { page } = watched
  await page.getByRole('heading', { level: 1 }).waitFor()
  const read = page.waitForResponse((response) => response.url().endsWith(`/interns/${talk.id}`))
  await page.getByRole('button', { name: 'Change', exact: true }).click()
  await read
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Description').fill('Mine')
  await talk.ask('PATCH', `/interns/${talk.id}`, { body: { instructions: 'Theirs' } })
  await dialog.getByRole('button', { name: 'Save', exact: true }).click()
  const conflict = page.getByRole('alert', { name: 'Changed by others' })
  await conflict.getByText('+ Theirs', { exact: true }).waitFor()
  await conflict.getByRole('button', { name: 'Merge these changes' }).click()
  await dialog.getByRole('button', { name: 'Save', exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
  const { description, instructions } = (await talk.ask('GET', `/interns/${talk.id}`)).body
  assert.deepEqual([description, instructions], ['Mine', 'Theirs'])
})
