import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { accessibilityFaults } from '../harness/accessibility.ts'
import { startBrowser, withoutBrowser } from '../harness/chromium.ts'
import { signedInPage } from '../harness/console.ts'
import { type DemoWorld, startDemoWorld } from '../harness/demo-world.ts'
import { until } from '../harness/until.ts'

let world: DemoWorld
let browser: Awaited<ReturnType<typeof startBrowser>>
before(async () => {
  if (withoutBrowser) return
  ;[world, browser] = await Promise.all([startDemoWorld(), startBrowser()])
})
after(async () => {
  await browser?.close()
  await world?.[Symbol.asyncDispose]()
})
const options = { skip: withoutBrowser }

test('what was asked and answered is shown to who asks for it, where the workspace keeps that', options, async () => {
  const { service } = world
  const workspace = (await service.manage('GET', '/workspaces')).body.data[0]
  await service.manage('PATCH', `/workspaces/${workspace.id}`, { is_observability_io_logging_enabled: true })
  const [id] = await world.ask(1)
  await until(async () => (await service.manage('GET', `/generation/content?id=${id}`)).status === 200)
  await using watched = await signedInPage(browser, service, `/requests/${id}`)
  const { page, faults } = watched
  await page.getByRole('button', { name: 'Show' }).click()
  await page.getByText('Which of these invoices has the wrong VAT id?').waitFor()
  await page.getByText('The third: DE811907980 lacks a digit.').waitFor()
  assert.deepEqual(await accessibilityFaults(page), [])
  assert.deepEqual(faults, [])
})
