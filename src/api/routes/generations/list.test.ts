import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestService } from '#test/harness/service/service.ts'
import { untilMetered } from '#test/harness/service/world/generation-record.ts'

test('the request log filters by model, caller and guardrail finding', async () => {
  await using service = await startTestService()
  const builtins = [{ slug: 'email', action: 'redact' }]
  const filter = { name: 'addresses', content_filter_builtins: builtins }
  const guardrail = (await service.manage('POST', '/guardrails', filter)).body.data
  const created = (await service.manage('POST', '/keys', { name: 'filtered' })).body
  await service.manage('POST', `/guardrails/${guardrail.id}/assignments/keys`, { key_hashes: [created.data.hash] })
  const ask = async (key: string, more: object) => {
    const body = { model: 'signalbox/demo', messages: [{ role: 'user', content: 'ada@example.com' }], ...more }
    const { headers } = await service.ask('POST', '/chat/completions', { key, body })
    return untilMetered(service, headers.get('x-generation-id'))
  }
  const found = await ask(created.key, { stream: true })
  const plain = await ask(service.apiKey, { session_id: 'first' })
  const ids = async (query: string) =>
    (await service.manage('GET', `/generations?${query}`)).body.data.map(({ id }: { id: string }) => id)
  assert.deepEqual(new Set(await ids('')), new Set([found.id, plain.id]))
  assert.deepEqual(await ids(`guardrail_id=${guardrail.id}`), [found.id])
  assert.deepEqual(await ids(`api_key_hash=${created.data.hash}&streamed=true`), [found.id])
  assert.deepEqual(await ids('session_id=first&provider=signalbox&outcome=success,client_left'), [plain.id])
  for (const none of ['user_id=nobody@example.com', 'outcome=failed', 'workspace_id=none', 'min_cost=1']) {
    assert.deepEqual(await ids(none), [], none)
  }
  const { body: page } = await service.ask('GET', '/generations?limit=1')
  const { body: next } = await service.ask('GET', `/generations?limit=1&cursor=${page.next_cursor}`)
  assert.deepEqual(new Set([page.data[0].id, next.data[0].id]), new Set([found.id, plain.id]))
  const { body: end } = await service.ask('GET', `/generations?cursor=${next.next_cursor}`)
  assert.deepEqual(end, { data: [], next_cursor: null })
})

test('a refused request has a record with its rule, and counts in no sum', async () => {
  await using service = await startTestService()
  const rule = { name: 'none of it', ignored_models: ['signalbox/demo'] }
  const guardrail = (await service.manage('POST', '/guardrails', rule)).body.data
  const created = (await service.manage('POST', '/keys', { name: 'shut in' })).body
  await service.manage('POST', `/guardrails/${guardrail.id}/assignments/keys`, { key_hashes: [created.data.hash] })
  const body = { model: 'signalbox/demo', messages: [{ role: 'user', content: 'Hi' }] }
  const { status, headers } = await service.ask('POST', '/chat/completions', { key: created.key, body })
  assert.equal(status, 403)
  const refused = await untilMetered(service, headers.get('x-generation-id'))
  assert.deepEqual(
    [refused.outcome, refused.error.guardrail_id, refused.error.rule, refused.model, refused.total_cost],
    ['refused', guardrail.id, 'ignored_models', 'signalbox/demo', 0],
  )
  const { data } = (await service.manage('GET', `/generations?outcome=refused&guardrail_id=${guardrail.id}`)).body
  assert.deepEqual(
    data.map(({ id }: { id: string }) => id),
    [refused.id],
  )
  assert.deepEqual((await service.manage('GET', '/activity')).body.data, [])
})

test('an invalid filter is refused with the valid values', async () => {
  await using service = await startTestService()
  const wrong = async (query: string) => (await service.ask('GET', `/generations?${query}`)).body.error.message
  assert.match(await wrong('cursor=x'), /cursor: must be the next_cursor of an earlier page/)
  assert.match(await wrong('outcome=good'), /outcome.*success.*failed.*client_left/)
  assert.match(await wrong('from=yesterday'), /from: expected an ISO 8601 instant/)
  for (const bound of ['', '%20', '-1', '0x1', 'Infinity', '1e400', '1,5', 'null'])
    assert.match(await wrong(`min_cost=${bound}`), /min_cost: must be a/, bound)
  for (const bound of ['0', '1.50', '.5', '1e-3'])
    assert.equal((await service.ask('GET', `/generations?max_latency=${bound}`)).status, 200, bound)
})
