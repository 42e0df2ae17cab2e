import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accessibilityFaults } from '../../harness/browser/accessibility.ts'
import { noBrowser } from '../../harness/browser/chromium.ts'
import { signedInPage } from '../../harness/browser/console.ts'
import { demoInBrowser } from '../../harness/browser/demo-in-browser.ts'
import { until } from '../../harness/until.ts'

const at = demoInBrowser()
const options = { skip: noBrowser }

test('stored prompts and responses are shown on request', options, async () => {
  const { service } = at.world
  const workspace = (await service.manage('GET', '/workspaces')).body.data[0]
  await service.manage('PATCH', `/workspaces/${workspace.id}`, { is_observability_io_logging_enabled: true })
  const [id] = await at.world.ask(1)
  await until(async () => (await service.manage('GET', `/generation/content?id=${id}`)).status === 200)
  await using watched = await signedInPage(at.browser, service, `/requests/${id}`)
  const { page, faults } = watched
  await page.getByRole('button', { name: 'Show' }).click()
  await page.getByText('Which of these invoices has the wrong VAT id?').waitFor()
  await page.getByText('The third: DE811907980 lacks a digit.').waitFor()
  assert.deepEqual(await accessibilityFaults(page), [])
  assert.deepEqual(faults, [])
})
