import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { newTestStore, onEachDatabase } from '#test/harness/database/databases.ts'
import { startTestService, type TestService } from '#test/harness/service/service.ts'

/**
 * The demo model with a price: one cent for each word of its response, and by default nothing for a token of the prompt.
 */
const priced = (prompt: number) => ({
  models: { 'signalbox/demo': { endpoints: { signalbox: { prices: { prompt, completion: 10_000 } } } } },
})

async function startPriced(
  kind: 'sqlite' | 'postgres',
  place = newTestStore(kind),
  now: () => number = Date.now,
  promptPrice = 0,
): Promise<TestService> {
  const at = await place
  const file = join(at.settings.data_dir, '..', `priced-${process.pid}.json`)
  writeFileSync(file, JSON.stringify(priced(promptPrice)))
  return startTestService({ testStore: at, now, settings: { catalogue_file: file } })
}

const say = (service: TestService, words: number, key?: string) =>
  service.ask('POST', '/chat/completions', {
    ...(key && { key }),
    body: { model: 'signalbox/demo', max_tokens: words, messages: [{ role: 'user', content: `demo:words=${words}` }] },
  })

onEachDatabase('spending limits', (kind) => {
  test('a limit of any size is stored, returned and enforced', async () => {
    const testStore = await newTestStore(kind)
    await using service = await startPriced(kind, Promise.resolve(testStore))
    const { body } = await service.manage('GET', '/workspaces')
    const path = `/guardrails/${body.data[0].default_guardrail_id}`
    for (const limit of [1e9, 1e21, 1e300]) {
      const { status } = await service.manage('PATCH', path, { limit_usd: limit })
      assert.equal(status, 200)
      assert.equal((await say(service, 1)).status, 200, `${limit}`)
      assert.equal((await service.manage('GET', path)).body.data.limit_usd, limit)
      const created = await service.manage('POST', '/keys', { name: 'rich', limit })
      assert.equal((await say(service, 1, created.body.key)).status, 200, `${limit}`)
    }
    await service.stop()
    await testStore.remove()
  })

  test('a guardrail’s limit is never exceeded; its spending and reset time are returned', async () => {
    const testStore = await newTestStore(kind)
    await using service = await startPriced(kind, Promise.resolve(testStore))
    const { body } = await service.manage('GET', '/workspaces')
    const id = body.data[0].default_guardrail_id
    await service.manage('PATCH', `/guardrails/${id}`, { limit_usd: 1, reset_interval: 'monthly' })
    const responses = await Promise.all(Array.from({ length: 30 }, () => say(service, 10)))
    const refused = responses.filter(({ status }) => status === 403)
    assert.equal(responses.filter(({ status }) => status === 200).length, 10)
    assert.match(
      refused[0]?.body.error.message,
      /1 USD, leaves no room for this request, which may cost up to 0\.1 USD\. It resets at/,
    )
    const { body: read } = await service.manage('GET', `/guardrails/${id}`)
    assert.match(read.data.resets_at, /-01T00:00:00\.000Z$/)
    assert.ok(read.data.spent_usd <= 1)
    await service.stop()
    await testStore.remove()
  })

  test('a key’s own limit holds for that key alone', async () => {
    const testStore = await newTestStore(kind)
    await using service = await startPriced(kind, Promise.resolve(testStore))
    const { body: key } = await service.manage('POST', '/keys', { name: 'thrifty', limit: 0.05 })
    assert.equal((await say(service, 5, key.key)).status, 200)
    const refused = await say(service, 1, key.key)
    assert.deepEqual([refused.status, refused.body.error.metadata.rule], [403, 'limit'])
    assert.equal((await say(service, 5)).status, 200)
    await service.stop()
    await testStore.remove()
  })

  test('fields that would disable a limit are refused, and removed from presets', async () => {
    const testStore = await newTestStore(kind)
    await using service = await startPriced(kind, Promise.resolve(testStore))
    const { body: created } = await service.manage('POST', '/keys', { name: 'thrifty', limit: 0.05 })
    const post = (path: string, more: object) =>
      service.ask('POST', path, { key: created.key, body: { model: 'signalbox/demo', ...more } })
    const messages = [{ role: 'user', content: 'demo:words=100' }]
    const faulty = { max_tokens: -1, max_completion_tokens: 0, n: 1.5, best_of: 1000 }
    for (const [name, value] of Object.entries(faulty)) {
      const { status, body } = await post('/chat/completions', { messages, max_tokens: 1, [name]: value })
      assert.equal(status, 400)
      assert.match(body.error.message, new RegExp(`^Invalid request: ${name}: .*(?:1|128|whole number)`))
    }
    assert.equal((await post('/responses', { input: 'Hi', max_output_tokens: -1 })).status, 400)
    await service.manage('POST', '/presets/endless/responses', { model: 'signalbox/demo', max_output_tokens: -100_000 })
    assert.equal((await post('/chat/completions', { messages, preset: 'endless' })).status, 403)
    assert.equal((await post('/responses', { input: 'Hi', preset: 'endless' })).status, 403)
    await service.stop()
    await testStore.remove()
  })

  test('a label that is longer than the redacted text counts', async () => {
    const testStore = await newTestStore(kind)
    await using service = await startPriced(kind, Promise.resolve(testStore), Date.now, 10_000)
    const { body } = await service.manage('GET', '/workspaces')
    const path = `/guardrails/${body.data[0].default_guardrail_id}`
    const needed = async () => (await say(service, 1000)).body.error.metadata.needed_usd
    await service.manage('PATCH', path, { limit_usd: 0.01 })
    const before = await needed()
    const label = 'x'.repeat(100)
    await service.manage('PATCH', path, { content_filters: [{ pattern: 'words', action: 'redact', label }] })
    assert.ok((await needed()) > before)
    await service.stop()
    await testStore.remove()
  })

  test('a key’s limit that is removed and set again counts the spending in between', async () => {
    const testStore = await newTestStore(kind)
    await using service = await startPriced(kind, Promise.resolve(testStore))
    const { body } = await service.manage('POST', '/keys', { name: 'on and off', limit: 0.05 })
    const change = (limit: number | null) => service.manage('PATCH', `/keys/${body.data.hash}`, { limit })
    assert.equal((await say(service, 3, body.key)).status, 200)
    await change(null)
    assert.equal((await say(service, 4, body.key)).status, 200)
    await change(0.08)
    assert.equal((await say(service, 2, body.key)).status, 403)
    assert.equal((await say(service, 1, body.key)).status, 200)
    await service.stop()
    await testStore.remove()
  })

  // Periods use the clock of the database, and a test cannot change that of Postgres.
  const turnable = kind === 'sqlite'
  test('a key’s limit resets with its period, and a change applies at once', async () => {
    const testStore = await newTestStore(kind)
    let later = 0
    await using service = await startPriced(kind, Promise.resolve(testStore), () => Date.now() + later)
    const { body } = await service.manage('POST', '/keys', { name: 'daily', limit: 0.05, limit_reset: 'daily' })
    const change = (limit: number) => service.manage('PATCH', `/keys/${body.data.hash}`, { limit })
    const status = async (words: number) => (await say(service, words, body.key)).status
    assert.deepEqual([await status(4), await status(2)], [200, 403])
    later = 86_400_000
    assert.deepEqual([await status(2), await status(4)], turnable ? [200, 403] : [403, 403])
    await change(0.02)
    assert.equal(await status(1), 403)
    await change(turnable ? 0.06 : 0.08)
    assert.equal(await status(4), 200)
    await service.stop()
    await testStore.remove()
  })
})
