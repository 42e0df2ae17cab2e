import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page, Route } from 'playwright-core'
import { accessibilityFaults } from '../../harness/browser/accessibility.ts'
import { noBrowser, startBrowser } from '../../harness/browser/chromium.ts'
import { removeFirstResponses, signedInPage } from '../../harness/browser/console.ts'
import { type InternChatService, startInternChatService } from '../../harness/interns/intern-chat.ts'
import { answer, say } from '../../harness/interns/interns.ts'
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
const open = (path: string) => signedInPage(browser, talk, path)

type Failing = { status: number; headers?: Record<string, string> } | 'network'

/**
 * From now on these fail like this.
 * @param before what a response waits for.
 * @returns the number of requests, and a function that ends the failure.
 */
async function fail(
  page: Page,
  urlPattern: string | RegExp,
  how: Failing,
  before: () => Promise<void> = async () => {},
) {
  let requestCount = 0
  const refuse = async (route: Route) => {
    requestCount += 1
    await before()
    return how === 'network' ? route.abort() : route.fulfill({ ...how, json: { error: { message: 'It broke.' } } })
  }
  await page.route(urlPattern, refuse)
  return { requestCount: () => requestCount, repair: () => page.unroute(urlPattern, refuse) }
}

/** A header of the service itself, not of a proxy before it. */
const own = { 'x-request-id': 'made-up' }
const isBehind = (page: Page) => page.getByText(/latest data could not be loaded/)
const guardrail = (name: string) => talk.manage('POST', '/guardrails', { name })

for (const how of [
  { status: 500, headers: own },
  { status: 503 },
  { status: 429, headers: { ...own, 'retry-after': '1' } },
  'network',
] as const) {
  const failureName = how === 'network' ? 'the network' : `a ${how.status}`
  test(`a reload that fails by ${failureName} keeps the data, reports it, and is retried`, options, async () => {
    await using watched = await open('/interns')
    const { page } = watched
    const list = page.getByRole('listitem').getByRole('link', { name: 'ada', exact: true })
    await list.waitFor()
    const { repair } = await fail(page, '**/api/v1/interns/questions*', how)
    const turn = await say(talk, talk.id, 'permission first allow_once')
    await isBehind(page).waitFor()
    assert.equal(await list.count(), 1)
    assert.equal(await page.getByRole('alert').count(), 0)
    assert.deepEqual(await accessibilityFaults(page), [])
    await repair()
    await page.getByRole('article', { name: 'Question of ada' }).waitFor()
    await isBehind(page).waitFor({ state: 'detached' })
    await answer(talk, talk.id, turn, 'allow_once')
  })
}

test('a failed first read is shown as failed and retried automatically', options, async () => {
  await using watched = await open('/keys')
  const { page } = watched
  await page.getByRole('table', { name: 'Keys' }).waitFor()
  const { repair } = await fail(page, '**/api/v1/guardrails?*', { status: 500, headers: own })
  await guardrail('comes by itself')
  await page.getByRole('link', { name: 'Guardrails', exact: true }).click()
  await page.getByRole('alert').getByText('It broke.').waitFor()
  await page.getByRole('button', { name: 'Retry' }).waitFor()
  await repair()
  await page.getByText('comes by itself').waitFor()
})

/** The presets screen with a failing list and a paused clock: the page gets no response while it is paused. */
async function failingPresets(page: Page, how: Failing) {
  await page.clock.install()
  await page.reload()
  await page.getByRole('table', { name: 'Keys' }).waitFor()
  await page.clock.pauseAt(new Date(Date.now() + 60_000))
  let running = Promise.resolve()
  const failing = await fail(page, '**/api/v1/presets?*', how, () => running)
  await page.getByRole('link', { name: 'Presets', exact: true }).click()
  await page.getByRole('alert').waitFor()
  /** Waits, and returns the number of requests until then. */
  const requestsAfter = async (ms: number) => {
    running = page.clock.runFor(ms)
    await running
    return failing.requestCount()
  }
  /** The responses to the first so many are there, and what follows from them is set. */
  const answered = async (times: number) => {
    await until(() => failing.requestCount() >= times)
    await page.getByRole('button', { name: 'Retry' }).waitFor()
    // Later requests of the page are answered later.
    await page.evaluate('fetch(location.href).then((response) => response.text())')
  }
  return { ...failing, requestsAfter, answered }
}

test('repeated failures are retried at growing intervals', options, async () => {
  await using watched = await open('/keys')
  const { requestsAfter, answered } = await failingPresets(watched.page, { status: 500, headers: own })
  for (const [turn, seconds] of [1, 2, 4, 8, 16, 30, 30].entries()) {
    await answered(turn + 1)
    assert.equal(await requestsAfter(seconds * 799), turn + 1, `not before ${seconds} s`)
    // The page updates its state when it renders.
    await requestsAfter(seconds * 202 + 100)
  }
  await answered(8)
})

test('no request is repeated before the time that the service requires', options, async () => {
  await using watched = await open('/keys')
  const headers = { ...own, 'retry-after': '90' }
  const { requestsAfter, requestCount, answered } = await failingPresets(watched.page, { status: 429, headers })
  await answered(1)
  assert.equal(await requestsAfter(89_000), 1)
  await watched.page.clock.runFor(2_000)
  await until(() => requestCount() === 2)
})

test('a refusal is not retried automatically', options, async () => {
  await using watched = await open('/keys')
  const { requestsAfter, answered } = await failingPresets(watched.page, { status: 400, headers: own })
  await answered(1)
  assert.equal(await requestsAfter(600_000), 1)
})

test('a hidden page is not reloaded, and a visible one at once', options, async () => {
  await using watched = await open('/keys')
  const { page } = watched
  const { requestsAfter, requestCount, answered } = await failingPresets(page, { status: 500, headers: own })
  await answered(1)
  await page.evaluate("Object.defineProperty(document, 'hidden', { value: true, configurable: true })")
  assert.equal(await requestsAfter(600_000), 1)
  await page.evaluate("delete document.hidden; document.dispatchEvent(new Event('visibilitychange'))")
  await until(() => requestCount() === 2)
})

test('one unavailable route behind a proxy does not reload the others', options, async () => {
  await using watched = await open('/keys')
  const { page } = watched
  await page.getByRole('table', { name: 'Keys' }).waitFor()
  let others = 0
  page.on('request', (request) => {
    if (request.url().includes('/interns/questions')) others += 1
  })
  const { requestCount } = await fail(page, '**/api/v1/presets?*', { status: 503 })
  await page.getByRole('link', { name: 'Presets', exact: true }).click()
  await until(() => requestCount() >= 4)
  assert.equal(await page.getByText('The service has been unreachable').count(), 0)
  // Only the count of waiting questions asks by itself: every 10 s.
  assert.ok(others <= 4, `${others} of others`)
})

test('a stream of events that was refused is opened again', options, async () => {
  await using watched = await open('/keys')
  const { page } = watched
  await page.getByRole('table', { name: 'Keys' }).waitFor()
  const { requestCount, repair } = await fail(page, '**/api/v1/events', { status: 503 })
  await page.getByRole('link', { name: 'Requests', exact: true }).click()
  await until(() => requestCount() >= 2)
  // The last refusal can arrive after this.
  const opened = page.waitForResponse(
    (response) => response.url().endsWith('/api/v1/events') && response.status() === 200,
  )
  await repair()
  await opened
})

test('a session is updated also after its stream was refused', options, async () => {
  const { sessionId } = await say(talk, talk.id, 'say First.')
  await using watched = await open('/keys')
  const { page } = watched
  await page.getByRole('table', { name: 'Keys' }).waitFor()
  const { requestCount, repair } = await fail(page, '**/sessions/*/events', { status: 503 })
  await page.goto(`${new URL(talk.url).origin}/interns/${talk.id}/${sessionId}`)
  await until(() => requestCount() >= 2)
  await repair()
  await page.getByRole('list', { name: 'Transcript' }).getByText('First.', { exact: true }).waitFor()
})

test('a failed load of requests keeps the displayed ones, and is retried', options, async () => {
  const ask = async (content: string) => {
    const body = { model: 'signalbox/demo', messages: [{ role: 'user', content }] }
    const { headers } = await talk.ask('POST', '/chat/completions', { body })
    await untilMetered(talk, headers.get('x-generation-id')!)
  }
  await ask('One')
  await using watched = await open('/requests?workspace_id=default')
  const { page } = watched
  const rows = page.getByRole('row').getByText('signalbox/demo')
  await until(async () => (await rows.count()) > 0)
  const before = await rows.count()
  const { requestCount, repair } = await fail(page, '**/api/v1/generations?*', { status: 500, headers: own })
  await ask('Two')
  await until(() => requestCount() >= 1)
  await isBehind(page).waitFor()
  assert.equal(await rows.count(), before)
  await repair()
  await until(async () => (await rows.count()) === before + 1)
  await isBehind(page).waitFor({ state: 'detached' })
})

test('a signed-in user returns once the session can be checked', options, async () => {
  await using watched = await open('/keys')
  const { page } = watched
  await page.getByRole('table', { name: 'Keys' }).waitFor()
  await removeFirstResponses(page)
  const { repair } = await fail(page, '**/api/v1/sessions/current', { status: 503 })
  await page.reload()
  await page.getByRole('alert').getByText('It broke.').waitFor()
  await repair()
  await page.getByRole('table', { name: 'Keys' }).waitFor()
})
