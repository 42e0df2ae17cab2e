import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { accessibilityFaults } from '../../harness/browser/accessibility.ts'
import { noBrowser, startBrowser } from '../../harness/browser/chromium.ts'
import { signedInPage, startConsole } from '../../harness/browser/console.ts'
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

test('an unknown address returns a page to a browser, and an error to a program', options, async () => {
  const { origin } = new URL(service.url)
  const program = await fetch(`${origin}/no/such/page`)
  assert.deepEqual([program.status, program.headers.get('content-type')], [404, 'application/json; charset=utf-8'])
  const below = await fetch(`${service.url}/no-such-route`, { headers: { accept: 'text/html' } })
  assert.deepEqual([below.status, below.headers.get('content-type')], [404, 'application/json; charset=utf-8'])
  await using watched = await signedInPage(browser, service, '/no/such/page')
  const { page } = watched
  await page.getByText('The console has no page at this address.').waitFor()
  assert.deepEqual(await accessibilityFaults(page), [])
  await page.getByRole('link', { name: 'Open the first screen' }).click()
  await page.waitForURL('**/requests')
})

test('a session that ended elsewhere shows the reason on the sign-in page', options, async () => {
  await using watched = await signedInPage(browser, service, '/keys')
  const { page } = watched
  await page.getByRole('table', { name: 'Keys' }).waitFor()
  for (const { id } of (await service.manage('GET', '/sessions')).body.data)
    await service.manage('DELETE', `/sessions/${id}`)
  await page.getByRole('link', { name: 'Audit log' }).click()
  await page.getByText('You were signed out: the session has expired or was ended.').waitFor()
  assert.deepEqual(await accessibilityFaults(page), [])
})

test('a screen whose files failed to load is loaded when the service responds', options, async () => {
  await using watched = await signedInPage(browser, service, '/requests')
  const { page } = watched
  await page.getByRole('heading', { name: 'Requests', exact: true }).waitFor({ state: 'attached' })
  await page.route('**/*', (route) => route.abort())
  await page.getByRole('link', { name: 'Models', exact: true }).click()
  await page.getByText('This screen could not be loaded').waitFor()
  await page.unroute('**/*')
  await page.getByRole('heading', { name: 'Models' }).waitFor({ state: 'attached', timeout: 60_000 })
})

test('an empty list of requests says that no provider has a credential', options, async () => {
  await using watched = await signedInPage(browser, service, '/requests')
  await watched.page.getByText('No provider has a credential yet, so only the demo model can answer.').waitFor()
  assert.deepEqual(watched.faults, [])
})

test('Back returns to the place in a list', options, async () => {
  const viewport = { width: 1280, height: 420 }
  await using watched = await signedInPage(browser, service, '/models', { viewport })
  const { page, faults } = watched
  const rows = page.getByRole('row')
  await rows.nth(3).waitFor()
  const scrolled = () =>
    page.evaluate(`Math.max(...[...document.querySelectorAll('main, main *')].map((one) => one.scrollTop))`)
  await page.mouse.move(500, 300)
  await page.mouse.wheel(0, 600)
  await until(async () => (await scrolled()) === 600)
  await page.mouse.click(500, 300)
  await page.getByRole('link', { name: '← Models' }).waitFor()
  await page.goBack()
  await until(async () => (await scrolled()) === 600)
  assert.deepEqual(faults, [])
})
