import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noBrowser } from '../../harness/browser/chromium.ts'
import { linkForRole, signedInPage } from '../../harness/browser/console.ts'
import { demoInBrowser } from '../../harness/browser/demo-in-browser.ts'
import { untilMetered } from '../../harness/service/world/generation-record.ts'

/** A response takes a third of a second: long enough to have a pace. */
const at = demoInBrowser({ upstreamOptions: { paceMs: () => 15 } })
const options = { skip: noBrowser }

const question = [{ role: 'user', content: 'Which of these invoices has the wrong VAT id?' }]
const model = 'deepseek/deepseek-v4'

/** @returns the generation of a completely streamed request. */
async function sendRequest(more: object = {}) {
  const { service } = at.world
  const body = { model, stream: true, messages: question, ...more }
  const { headers } = await service.ask('POST', '/chat/completions', { body })
  return untilMetered(service, headers.get('x-generation-id')!)
}

test('a request shows how its endpoints were ordered and its token speed', options, async () => {
  const sorted = await sendRequest({ provider: { sort: 'price' } })
  await using watched = await signedInPage(at.browser, at.world.service, `/requests/${sorted.id}`)
  const { page, faults } = watched
  const story = page.getByRole('complementary', { name: 'Details' }).locator('.waterfall')
  await story.getByText('2 endpoints, cheapest first').waitFor()
  await story.getByText('next, not needed').waitFor()
  await story.getByText(/\d+ tokens, \d+ to \d+ per second|\d+ tokens, \d+ per second/).waitFor()
  assert.ok((await story.locator('.work i').count()) > 1)
  assert.deepEqual(faults, [])
})

test('the cost of a request uses the charged prices, not the current ones', options, async () => {
  const { id, tokens_prompt, tokens_completion, total_cost } = await sendRequest({ provider: { order: ['openai'] } })
  await using watched = await signedInPage(at.browser, at.world.service, `/requests/${id}`)
  const { page, faults } = watched
  const urls: string[] = []
  page.on('request', (request) => urls.push(request.url()))
  await page.reload()
  const lines = page.locator('.cost > div')
  await lines
    .filter({ hasText: `prompt, ${tokens_prompt}` })
    .getByText('0.90 / M')
    .waitFor()
  await lines
    .filter({ hasText: `completion, ${tokens_completion}` })
    .getByText('2.00 / M')
    .waitFor()
  await lines.filter({ hasText: 'charged to' }).getByRole('link', { name: 'First API key' }).waitFor()
  assert.ok(Math.abs(total_cost - (tokens_prompt * 0.9 + tokens_completion * 2) / 1e6) < 1e-12)
  assert.deepEqual(
    urls.filter((url) => url.includes('/endpoints')),
    [],
  )
  assert.equal(await page.getByText('current prices').count(), 0)
  assert.deepEqual(faults, [])
})

test('prompts are offered to readers, and a repeat to users of models', options, async () => {
  const { id } = await sendRequest()
  for (const [access, isOffered] of [
    ['admin', true],
    ['viewer', false],
  ] as const) {
    const link = await linkForRole(at.world.service, access)
    await using watched = await signedInPage(at.browser, at.world.service, `/requests/${id}`, { link })
    const { page, faults } = watched
    await page.getByRole('button', { name: 'Copy as curl' }).waitFor()
    assert.equal(await page.getByRole('button', { name: 'Show' }).count(), isOffered ? 1 : 0)
    assert.equal(await page.getByRole('link', { name: 'Open in chat' }).count(), isOffered ? 1 : 0)
    assert.equal(await page.getByText('Viewers cannot read prompts').count(), isOffered ? 0 : 1)
    assert.deepEqual(faults, [])
  }
})
