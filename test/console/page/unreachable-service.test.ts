import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page, Route } from 'playwright-core'
import { accessibilityFaults } from '../../harness/browser/accessibility.ts'
import { noBrowser, startBrowser } from '../../harness/browser/chromium.ts'
import { removeFirstResponses, signedInPage } from '../../harness/browser/console.ts'
import { type InternChatService, startInternChatService } from '../../harness/interns/intern-chat.ts'
import { untilMetered } from '../../harness/service/world/generation-record.ts'
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
const open = (path: string, key = talk.managementKey) => signedInPage(browser, talk, path, { key })

/** Blocks these requests until the returned function is called. Error messages about them are not faults of the page. */
async function cutOff(page: Page, what: string): Promise<() => Promise<void>> {
  const refuse = (route: Route) => route.abort('connectionrefused')
  await page.route(what, refuse)
  return () => page.unroute(what, refuse)
}

const says = (page: Page) => page.getByText('The service has been unreachable since')

test('during an outage the data stays, and all is loaded again after it', options, async () => {
  await using watched = await open('/keys')
  const { page } = watched
  const keys = page.getByRole('table', { name: 'Keys' })
  await keys.waitFor()
  const comeBack = await cutOff(page, '**/api/v1/**')
  await page.getByRole('link', { name: 'Members', exact: true }).click()
  // Data that was never loaded is reported as missing; loaded data stays visible.
  await page.getByRole('alert').getByText('The service cannot be reached.').waitFor()
  await page.getByRole('link', { name: 'Keys', exact: true }).click()
  await keys.waitFor()
  await says(page).waitFor()
  assert.equal(await page.getByRole('alert').count(), 0)
  assert.deepEqual(await accessibilityFaults(page), [])
  await talk.manage('POST', '/keys', { name: 'made meanwhile' })
  await comeBack()
  await keys.getByText('made meanwhile').waitFor()
  await says(page).waitFor({ state: 'detached' })
})

test('a failed sign-out says that the session is still active', options, async () => {
  await using watched = await open('/keys')
  const { page } = watched
  const signOut = page.getByRole('navigation', { name: 'Screens' }).getByRole('button', { name: 'Sign out' })
  // The member is known, so the page does not look up the session again.
  await page.getByRole('button', { name: 'Create key' }).waitFor()
  const comeBack = await cutOff(page, '**/sessions/current')
  await signOut.click()
  await page.getByRole('status').getByText('You are still signed in. The service cannot be reached.').waitFor()
  await comeBack()
  await signOut.click()
  await page.getByLabel('Key', { exact: true }).waitFor()
})

test('a sign-out before the session is known signs out', options, async () => {
  await using watched = await open('/keys')
  const { page } = watched
  const sessionKnown = Promise.withResolvers<void>()
  await removeFirstResponses(page)
  await page.route('**/sessions/current', async (route) => {
    if (route.request().method() === 'GET') await sessionKnown.promise
    await route.fallback()
  })
  await page.reload({ waitUntil: 'commit' })
  await page.getByRole('navigation', { name: 'Screens' }).getByRole('button', { name: 'Sign out' }).click()
  sessionKnown.resolve()
  await page.getByLabel('Key', { exact: true }).waitFor()
})

test('a screen whose files are missing shows an error with a retry', options, async () => {
  await using watched = await open('/requests')
  const { page } = watched
  await page.getByRole('heading', { name: 'Requests', exact: true }).waitFor()
  const comeBack = await cutOff(page, '**/console/*.js')
  await page.getByRole('link', { name: 'Presets' }).click()
  await page.getByText('This screen could not be loaded').waitFor()
  await comeBack()
  await page.getByRole('button', { name: 'Reload the page' }).click()
  await page.getByText('No presets yet').waitFor()
})

test('a prompt that an intern refuses is restored in the field', options, async () => {
  await using watched = await open(`/interns/${talk.id}`, talk.apiKey)
  const { page } = watched
  const field = page.getByRole('textbox', { name: 'Start a session with ada' })
  await field.fill('say A long thought.')
  const comeBack = await cutOff(page, '**/chat/completions')
  await field.press('Enter')
  await page.getByText('ada: The service cannot be reached.').waitFor()
  await until(async () => (await field.inputValue()) === 'say A long thought.')
  await comeBack()
  await field.press('Enter')
  await page.getByRole('list', { name: 'Transcript' }).getByText('A long thought.', { exact: true }).waitFor()
})

test('if older requests cannot be loaded, the list stays and offers a retry', options, async () => {
  const body = { model: 'signalbox/demo', messages: [{ role: 'user', content: 'Hi' }] }
  const { headers } = await talk.ask('POST', '/chat/completions', { body })
  await untilMetered(talk, headers.get('x-generation-id')!)
  await using watched = await open('/overview')
  const { page } = watched
  let isBroken = true
  await page.route('**/api/v1/generations?*', async (route) => {
    const isOlder = route.request().url().includes('cursor=')
    if (isOlder && isBroken) return route.fulfill({ status: 400, json: { error: { message: 'It broke.' } } })
    const response = await route.fetch({
      url: route
        .request()
        .url()
        .replace(/&?cursor=[^&]*/, ''),
    })
    const page = await response.json()
    return route.fulfill({ json: { ...page, next_cursor: isOlder ? null : 'next' } })
  })
  await page.getByRole('link', { name: 'Requests', exact: true }).click()
  await page.getByText('Older requests could not be loaded: It broke.').waitFor()
  await page.getByRole('row').getByText('signalbox/demo').waitFor()
  isBroken = false
  await page.getByRole('button', { name: 'Retry' }).click()
  await page.getByText('End of the list.').waitFor()
})

test('if models cannot be loaded, the chat shows an error with a retry', options, async () => {
  await using watched = await open('/keys')
  const { page } = watched
  await page.getByRole('table', { name: 'Keys' }).waitFor()
  const broken = (route: Route) => route.fulfill({ status: 400, json: { error: { message: 'It broke.' } } })
  await page.route('**/api/v1/models/user', broken)
  await page.getByRole('link', { name: 'Chat', exact: true }).click()
  await page.getByRole('alert').getByText('It broke.').waitFor()
  await page.unroute('**/api/v1/models/user', broken)
  await page.getByRole('button', { name: 'Retry' }).click()
  await page.getByRole('button', { name: 'signalbox/demo' }).waitFor()
})
