import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { noBrowser, startBrowser } from '../../harness/browser/chromium.ts'
import { signedInPage, startConsole } from '../../harness/browser/console.ts'
import { scriptPayloads } from '../../harness/browser/script-payloads.ts'
import type { TestService } from '../../harness/service/service.ts'
import { untilMetered } from '../../harness/service/world/generation-record.ts'
import { until } from '../../harness/until.ts'

let service: TestService
let browser: Awaited<ReturnType<typeof startBrowser>>
before(async () => {
  if (noBrowser) return
  ;[service, browser] = await Promise.all([startConsole(), startBrowser()])
  const workspace = (await service.manage('GET', '/workspaces')).body.data[0]
  await service.manage('PATCH', `/workspaces/${workspace.id}`, { is_observability_io_logging_enabled: true })
})
after(async () => {
  await browser?.close()
  await service?.[Symbol.asyncDispose]()
})
const options = { skip: noBrowser }

const wasPlanted = (page: Page) => page.evaluate(() => 'planted' in globalThis)

/** A header takes no line breaks and nothing but Latin. */
const asHeader = (text: string) => text.replace(/[^\x20-\x7e]/g, '')

test('a hundred payloads are more than a handful', () => assert.ok(scriptPayloads.length >= 100))

test('texts of users, programs and models are escaped in all places', options, async () => {
  // The demo model repeats its prompt.
  const ids: string[] = []
  for (const [index, payload] of scriptPayloads.entries()) {
    const body = {
      model: 'signalbox/demo',
      session_id: payload.slice(0, 120),
      messages: [
        { role: 'assistant', content: payload },
        { role: 'user', content: payload },
      ],
    }
    const headers = { 'x-title': asHeader(payload), 'http-referer': asHeader(payload) }
    const response = await service.ask('POST', '/chat/completions', { body, headers })
    assert.equal(response.status, 200, `${index} ${response.text}`)
    ids.push(response.headers.get('x-generation-id')!)
  }
  const last = ids.at(-1)!
  await untilMetered(service, last)
  await until(async () => (await service.manage('GET', `/generation/content?id=${last}`)).status === 200)
  await using watched = await signedInPage(browser, service, `/requests/${last}`)
  const { page, faults } = watched
  await page.getByRole('button', { name: 'Show' }).click()
  const rows = page.getByRole('row', { selected: true })
  for (const id of ids.toReversed()) {
    await rows.waitFor()
    await page.locator('.facts', { hasText: id }).waitFor()
    await page.locator('.said .markdown:not(.plain)').first().waitFor({ state: 'attached' })
    await page.keyboard.press('j')
  }
  assert.equal(await wasPlanted(page), false)
  assert.deepEqual(faults, [])
  assert.equal(
    await page.locator('.panel :is(script, iframe, object, embed, form, style, svg, base, meta, link)').count(),
    0,
  )
})

test('names of keys, refusals and addresses are escaped', options, async () => {
  for (const payload of scriptPayloads.slice(0, 20)) {
    const created = await service.manage('POST', '/keys', { name: payload.slice(0, 80) })
    const rule = { name: payload.slice(0, 80), ignored_models: ['signalbox/demo'] }
    const guardrail = await service.manage('POST', '/guardrails', rule)
    const key_hashes = [created.body.data.hash]
    await service.manage('POST', `/guardrails/${guardrail.body.data.id}/assignments/keys`, { key_hashes })
    const body = { model: 'signalbox/demo', messages: [{ role: 'user', content: 'Hi' }] }
    const { headers } = await service.ask('POST', '/chat/completions', { key: created.body.key, body })
    await untilMetered(service, headers.get('x-generation-id')!)
  }
  await using watched = await signedInPage(browser, service, '/requests?outcome=refused')
  const { page, faults } = watched
  await page.getByRole('row').nth(1).click()
  await page.locator('.refusal').waitFor()
  for (const payload of scriptPayloads.filter((_, index) => index % 5 === 0)) {
    const query = new URLSearchParams({ model: payload, last: payload, session_id: payload })
    await page.goto(`${new URL(service.url).origin}/requests?${query}`)
    await page.getByText('No requests match these filters').or(page.getByRole('alert')).first().waitFor()
  }
  assert.equal(await wasPlanted(page), false)
  assert.deepEqual(faults, [])
})
