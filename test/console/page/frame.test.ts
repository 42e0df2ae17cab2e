import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { accessibilityFaults } from '../../harness/browser/accessibility.ts'
import { noBrowser, startBrowser, watchedPage } from '../../harness/browser/chromium.ts'
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

test('"/" opens the first screen, and the frame marks it as current', options, async () => {
  await using watched = await signedInPage(browser, service, '/')
  const { page, faults } = watched
  await page.getByRole('link', { name: 'Requests' }).and(page.locator('[aria-current=page]')).waitFor()
  assert.equal(new URL(page.url()).pathname, '/requests')
  assert.deepEqual(faults, [])
})

test('the palette opens a screen by letters, and "?" shows the keys', options, async () => {
  await using watched = await signedInPage(browser, service, '/requests')
  const { page, faults } = watched
  await page.getByRole('link', { name: 'Requests' }).waitFor()
  await page.keyboard.press('?')
  await page.getByText('open search and commands').waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox').fill('theme dark')
  await page.keyboard.press('Enter')
  assert.equal(await page.evaluate('document.documentElement.dataset.theme'), 'dark')
  const reloaded = await page.reload()
  // It comes with the page: a script would change it before one's eyes.
  assert.match((await reloaded?.text()) ?? '', /<html lang="en" data-theme="dark"/)
  await page.getByRole('button', { name: 'Theme: dark' }).click()
  await page.getByRole('button', { name: 'Theme: system' }).waitFor()
  assert.doesNotMatch((await (await page.reload())?.text()) ?? '', /<html[^>]* data-theme/)
  assert.deepEqual(faults, [])
})

test('keys that are pressed while the search is loaded are typed into it', options, async () => {
  await using watched = await signedInPage(browser, service, '/models')
  const { page } = watched
  await page.getByRole('link', { name: 'Models' }).waitFor()
  // Its chunk is cached: without this, it would be loaded before a key is pressed.
  await page.evaluate('globalThis.requestIdleCallback = () => 0')
  const { promise, resolve } = Promise.withResolvers<void>()
  await page.route('**/open-palette-*.js', async (route) => {
    await promise
    await route.fallback()
  })
  await page.reload()
  // The served page has the frame without rows; its script adds them, and listens for keys.
  await page.getByRole('row').nth(3).waitFor()
  await page.keyboard.press('Control+k')
  await page.keyboard.type('theme')
  resolve()
  const field = page.getByRole('combobox', { name: 'Search' })
  await field.waitFor()
  assert.match(await field.inputValue(), /theme$/)
})

test('the page contains the session and the first rows, so that neither is requested', options, async () => {
  await using watched = await signedInPage(browser, service, '/service')
  const { page, faults } = watched
  const requested: string[] = []
  page.on('request', (request) => requested.push(request.url().replace(/.*\/api\/v1/, '')))
  // After the event stream opens, earlier changes are requested.
  page.on('response', (response) => response.url().endsWith('/events') && requested.push('events'))
  const came = await page.goto(new URL('/requests', service.url).href)
  await page.getByText('No requests yet').waitFor()
  // Nor is the frame drawn otherwise than it came.
  const screenLinks = await page.locator('nav .screen-links').innerHTML()
  assert.ok((await came?.text())?.includes(`<div class="screen-links">${screenLinks}</div>`), screenLinks)
  await until(() => requested.includes('events'))
  const early = requested
    .slice(0, requested.indexOf('events'))
    .filter((path) => /^\/(sessions\/current|generations)/.test(path))
  assert.deepEqual(early, [])
  assert.deepEqual(faults, [])
})

test('without a session, the page asks for a key and requests only the sign-in methods', options, async () => {
  await using watched = await watchedPage(browser, new URL(service.url).origin)
  const requested: string[] = []
  watched.page.on('request', (request) => requested.push(new URL(request.url()).pathname))
  await watched.page.goto(`${new URL(service.url).origin}/requests`)
  await watched.page.getByLabel('Key', { exact: true }).waitFor()
  await watched.page.waitForLoadState('networkidle')
  // The second request reads the sign-in methods, such as OpenID Connect.
  assert.deepEqual(
    requested.filter((path) => path.startsWith('/api/')),
    ['/api/v1/sessions/current', '/api/v1/sessions/methods'],
  )
})

test('the link of the first start signs in once, and is removed from the address', options, async () => {
  const { body } = await service.manage('POST', '/sessions/links', {})
  const { token } = body.data
  await using watched = await watchedPage(browser, new URL(service.url).origin)
  await watched.page.goto(`${new URL(service.url).origin}/#sign-in=${token}`)
  await watched.page.getByRole('link', { name: 'Requests' }).waitFor()
  assert.equal(new URL(watched.page.url()).hash, '')
  assert.deepEqual(watched.faults, [])
})

test('the link of an email signs in at a click, because mail servers open it first', options, async () => {
  const { origin } = new URL(service.url)
  const { token } = (await service.manage('POST', '/sessions/links', {})).body.data
  const openLink = async () => {
    const watched = await watchedPage(browser, origin)
    await watched.page.goto(`${origin}/#emailed-sign-in=${token}`)
    await watched.page.getByText('This link works once.').waitFor()
    return watched
  }
  await using scanner = await openLink()
  await using watched = await openLink()
  await watched.page.getByRole('button', { name: 'Sign in' }).click()
  await watched.page.getByRole('link', { name: 'Requests' }).waitFor()
  assert.equal(new URL(watched.page.url()).hash, '')
  assert.deepEqual(await accessibilityFaults(scanner.page), [])
  await scanner.page.getByRole('button', { name: 'Sign in' }).click()
  await scanner.page.getByText('This link cannot sign in').waitFor()
  await scanner.page.getByLabel('Key', { exact: true }).waitFor()
})

test('a broken sign-in link shows an error that names the link', options, async () => {
  await using watched = await watchedPage(browser, new URL(service.url).origin)
  const { page } = watched
  await page.goto(`${new URL(service.url).origin}/#sign-in=%`)
  await page.getByRole('alert').filter({ hasText: /link/i }).waitFor()
})

test('a key signs in, a wrong one shows an error, and signing out ends it', options, async () => {
  await using watched = await watchedPage(browser, new URL(service.url).origin)
  const { page } = watched
  await page.goto(`${new URL(service.url).origin}/requests`)
  await page.getByLabel('Key', { exact: true }).fill(`sb-v1-${'0'.repeat(64)}`)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('alert').waitFor()
  await page.getByLabel('Key', { exact: true }).fill(service.managementKey)
  await page.keyboard.press('Enter')
  await page.getByRole('grid', { name: 'Requests' }).or(page.getByText('No requests yet')).waitFor()
  await page.evaluate('globalThis.leftOver = true')
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByLabel('Key', { exact: true }).waitFor()
  // The next member sees nothing from the memory of the page.
  await until(() => page.evaluate('globalThis.leftOver === undefined').catch(() => false))
  await page.getByLabel('Key', { exact: true }).waitFor()
  await page.reload()
  await page.getByLabel('Key', { exact: true }).waitFor()
})

test('in a narrow window the current screen is named, and a menu lists all screens', options, async () => {
  const viewport = { width: 390, height: 800 }
  await using watched = await signedInPage(browser, service, '/guardrails', { viewport })
  const { page, faults } = watched
  const line = page.getByRole('navigation', { name: 'Screens' })
  const here = page.getByRole('button', { name: 'Screens, current: Guardrails' })
  await here.waitFor()
  // Nothing of the line is cut, or lies upon another part of it.
  const parts = [page.locator('.brand'), here, page.getByRole('button', { name: 'Go to…' })]
  const boxes = (await Promise.all(parts.map((part) => part.boundingBox()))).map((box) => box!)
  for (const [at, { x, width }] of boxes.entries())
    assert.ok(x + width <= (boxes[at + 1]?.x ?? viewport.width), `${at}`)
  assert.equal(await line.getByRole('link', { name: 'Service' }).isVisible(), false)
  await here.click()
  for (const name of ['Requests', 'Keys & members', 'Service'])
    assert.ok(await line.getByRole('link', { name }).isVisible(), name)
  await page.getByRole('button', { name: 'Sign out' }).waitFor()
  assert.deepEqual(await accessibilityFaults(page), [])
  await page.keyboard.press('Escape')
  await line.getByRole('link', { name: 'Service' }).waitFor({ state: 'hidden' })
  // Also by keyboard. After a choice the focus is in the page, and the menu is closed.
  await here.press('Enter')
  await line.getByRole('link', { name: 'Presets' }).press('Enter')
  await page.getByRole('button', { name: 'Screens, current: Presets' }).waitFor()
  await line.getByRole('link', { name: 'Service' }).waitFor({ state: 'hidden' })
  assert.deepEqual(faults, [])
})
