import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { SseReader } from '#platform/net/sse.ts'
import { type DatabaseKind, newTestStore, onOneDatabase } from '../../harness/database/databases.ts'
import { runningIntern } from '../../harness/interns/interns.ts'
import { pricedCatalogue, usdOfWord } from '../../harness/service/load/priced-servers.ts'
import { startTestService, type TestService } from '../../harness/service/service.ts'
import { timed, until } from '../../harness/until.ts'

/** A stream that would continue for a minute, and the part received so far. */
type Running = { data: () => any[]; text: () => string; ended: Promise<number> }

async function open(service: TestService, path: string, key: string, body: object): Promise<Running> {
  const response = await fetch(service.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ stream: true, ...body }),
  })
  assert.equal(response.status, 200, response.ok ? '' : await response.text())
  let text = ''
  const read = async () => {
    for await (const chunk of response.body!) text += Buffer.from(chunk).toString()
    return performance.now()
  }
  const ended = read()
  await until(() => text.includes('word'))
  const events = () => new SseReader().push(Buffer.from(text))
  return {
    text: () => text,
    ended,
    data: () => events().flatMap(({ data }) => (data?.[0] === '{' ? [JSON.parse(data)] : [])),
  }
}

const long = 'demo:words=1000 demo:pace=60'
const model = 'signalbox/demo'
const chat = (service: TestService, key: string, more: object = {}) =>
  open(service, '/chat/completions', key, { model, messages: [{ role: 'user', content: long }], ...more })

async function twoServers(kind: DatabaseKind) {
  const testStore = await newTestStore(kind)
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-priced-'))
  const settings = { catalogue_file: pricedCatalogue(folder) }
  const one = await startTestService({ testStore, settings })
  // The embedded database has one server.
  const other = kind === 'postgres' ? await startTestService({ testStore, settings }) : one
  return {
    one,
    other,
    async [Symbol.asyncDispose]() {
      await one.stop()
      if (other !== one) await other.stop()
      await testStore.remove()
      rmSync(folder, { recursive: true })
    },
  }
}

async function newKey(service: TestService, more: object = {}): Promise<{ key: string; path: string; hash: string }> {
  const { body } = await service.manage('POST', '/keys', { name: 'k', ...more })
  return { key: body.key, path: `/keys/${body.data.hash}`, hash: body.data.hash }
}

/** Runs the action, and returns how the stream ended: within the promised second, as far as a busy machine allows. */
async function endOf(running: Running, act: () => Promise<{ status: number }>) {
  const acted = await act()
  assert.ok(acted.status < 300)
  const { tookMs, allowedMs } = await timed(10_000, () => running.ended)
  assert.ok(tookMs < allowedMs, `${tookMs} ms`)
  const last = running.data().findLast(({ error }) => error)
  return { tookMs, error: last?.error, text: running.text() }
}

onOneDatabase('a stream in progress', (kind) => {
  let servers: Awaited<ReturnType<typeof twoServers>>
  const took: Record<string, number> = {}
  before(async () => {
    servers = await twoServers(kind)
  })
  after(async () => {
    await servers[Symbol.asyncDispose]()
    console.log(`streams ended after (ms): ${JSON.stringify(took)}`)
  })

  for (const [how, patch] of [
    ['disabled', { disabled: true }],
    ['deleted', undefined],
  ] as const) {
    test(`ends when its key is ${how}, with the reason`, async () => {
      const { one, other } = servers
      const { key, path } = await newKey(one)
      const running = await chat(other, key)
      const end = await endOf(running, () => one.manage(patch ? 'PATCH' : 'DELETE', path, patch))
      took[how] = Math.round(end.tookMs)
      assert.deepEqual([end.error.code, end.error.message.slice(0, 23)], [401, 'The key of this request'])
      assert.match(end.text, /"finish_reason":"error".*data: \[DONE\]\n\n$/s)
    })
  }

  test('ends when its key expires', async () => {
    const { one, other } = servers
    const { key, path } = await newKey(one)
    const running = await chat(other, key)
    const expires_at = new Date(Date.now() + 300).toISOString()
    assert.equal((await endOf(running, () => one.manage('PATCH', path, { expires_at }))).error.code, 401)
  })

  test('ends when its member is removed with their keys', async () => {
    const { one, other } = servers
    const email = `${crypto.randomUUID()}@example.com`
    const { data } = (await one.manage('POST', '/organization/members', { email, name: 'Ada' })).body
    const { key } = await newKey(one, { creator_user_id: data.id })
    const running = await chat(other, key)
    const remove = () => one.manage('DELETE', `/organization/members/${data.id}?disable_keys=true`)
    const end = await endOf(running, remove)
    took.member = Math.round(end.tookMs)
    assert.equal(end.error.code, 401)
  })

  test('ends when a guardrail forbids its model, named in the words of the door', async () => {
    const { one, other } = servers
    const { key, hash } = await newKey(one)
    const created = (await one.manage('POST', '/guardrails', { name: `House ${kind}` })).body.data
    await one.manage('POST', `/guardrails/${created.id}/assignments/keys`, { key_hashes: [hash] })
    const running = await chat(other, key)
    const forbid = () => one.manage('PATCH', `/guardrails/${created.id}`, { ignored_models: [model] })
    const end = await endOf(running, forbid)
    took.guardrail = Math.round(end.tookMs)
    assert.match(end.error.message, /^Refused by the guardrail "House .*" \(ignored_models\)/)
    assert.equal(end.error.metadata.guardrail_id, created.id)
  })

  const words = 1000
  const most = words * usdOfWord

  test('ends when the limit of its key falls below the reservation', async () => {
    const { one, other } = servers
    const { key, path } = await newKey(one, { limit: 10 * most })
    const running = await chat(other, key, { max_tokens: words })
    const end = await endOf(running, () => one.manage('PATCH', path, { limit: most / 2 }))
    took.limit = Math.round(end.tookMs)
    assert.match(end.error.message, /^The spending limit of the key is now 0\.5 USD, less than is spent and reserved/)
    assert.deepEqual(
      [end.error.code, end.error.metadata],
      [403, { error_type: 'permission_denied', rule: 'limit', layer: 'key_limit', limit_usd: most / 2 }],
    )
  })

  test('ends when a guardrail’s new limit is exhausted, else continues', async () => {
    const { one, other } = servers
    const { key, hash } = await newKey(one)
    const created = (await one.manage('POST', '/guardrails', { name: `Purse ${kind}`, limit_usd: 10 * most })).body.data
    await one.manage('POST', `/guardrails/${created.id}/assignments/keys`, { key_hashes: [hash] })
    const limit = (limit_usd: number) => one.manage('PATCH', `/guardrails/${created.id}`, { limit_usd })
    const running = await chat(other, key, { max_tokens: words })
    await limit(4 * most)
    await sleep(1500)
    assert.doesNotMatch(running.text(), /"error"/)
    const end = await endOf(running, () => limit(most / 2))
    assert.match(end.error.message, /^The spending limit of the guardrail "Purse .*" for each key is now 0\.5 USD/)
    assert.equal(end.error.metadata.guardrail_id, created.id)
  })

  test('ends when a new limit of its session is lower than its reservation', async () => {
    const { one, other } = servers
    const { key, hash } = await newKey(one)
    const created = (await one.manage('POST', '/guardrails', { name: `Sessions ${kind}` })).body.data
    await one.manage('POST', `/guardrails/${created.id}/assignments/keys`, { key_hashes: [hash] })
    const limit = (limit_usd: number) =>
      one.manage('PATCH', `/guardrails/${created.id}`, { group_limits: [{ by: 'session', limit_usd }] })
    await limit(10 * most)
    const running = await chat(other, key, { max_tokens: words, session_id: 's' })
    const end = await endOf(running, () => limit(most / 2))
    assert.match(end.error.message, /^The spending limit of .* for the session "s" is now 0\.5 USD/)
  })

  test('in the words of responses ends with a failed response', async () => {
    const { one, other } = servers
    const { key, path } = await newKey(one)
    const running = await open(other, '/responses', key, { model, input: long })
    await endOf(running, () => one.manage('DELETE', path))
    const last = running.data().at(-1)
    assert.deepEqual([last.type, last.response.status], ['response.failed', 'failed'])
    assert.match(last.response.error.message, /^The key of this request/)
  })

  test('continues through unrelated changes', async () => {
    const { one, other } = servers
    const [{ key, path, hash }, strange] = [await newKey(one), await newKey(one)]
    const running = await chat(other, key, { messages: [{ role: 'user', content: 'demo:words=30 demo:pace=60' }] })
    await one.manage('DELETE', strange.path)
    await one.manage('PATCH', path, { name: 'renamed' })
    const created = (await one.manage('POST', '/guardrails', { name: `Else ${kind}` })).body.data
    await one.manage('POST', `/guardrails/${created.id}/assignments/keys`, { key_hashes: [hash] })
    await one.manage('PATCH', `/guardrails/${created.id}`, { ignored_models: ['openai/gpt-5'], limit_usd: 5 })
    await running.ended
    assert.match(running.text(), /"finish_reason":"stop"/)
  })

  test('of an intern ends with its caller’s key, with an error chunk', async () => {
    const { one } = servers
    const { key, path } = await newKey(one)
    const { id } = await runningIntern(
      { ask: (method, to, more) => one.ask(method, to, { ...more, key }) },
      { name: 'bea' },
    )
    const messages = [{ role: 'user', content: long }]
    const running = await open(one, `/interns/${id}/chat/completions`, key, { messages })
    const end = await endOf(running, () => one.manage('PATCH', path, { disabled: true }))
    took.intern = Math.round(end.tookMs)
    assert.deepEqual([end.error.code, end.error.metadata], [401, { reason: 'run_ended', retryable: false }])
    assert.match(end.text, /data: \[DONE\]\n\n$/)
  })
})

describe('a complete response in flight', () => {
  test('is refused when its key is disabled', async () => {
    await using service = await startTestService()
    const { key, path } = await newKey(service)
    const body = { model, messages: [{ role: 'user', content: 'demo:slow=60000' }] }
    const pending = service.ask('POST', '/chat/completions', { key, body })
    await until(async () => (await service.ask('GET', '/metrics', { key: service.managementKey })).status === 200)
    await service.manage('PATCH', path, { disabled: true })
    const { status, body: responseBody } = await pending
    assert.deepEqual([status, responseBody.error.message.slice(0, 23)], [401, 'The key of this request'])
  })
})
