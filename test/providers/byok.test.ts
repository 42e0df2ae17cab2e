import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DatabaseKind } from '#test/harness/database/databases.ts'
import { onOneDatabase } from '#test/harness/database/databases.ts'
import { startFaultyService } from '#test/harness/service/faulty-service.ts'
import { untilMetered } from '#test/harness/service/world/generation-record.ts'
import { until } from '#test/harness/until.ts'
import { earlyFaults, validResponses } from '#test/harness/upstream/faulty/faults.ts'
import { startFaultyUpstream } from '#test/harness/upstream/faulty/faulty-upstream.ts'

const secret = 'sk-own-0123456789abcdef-wxyz'

async function setUp(kind: DatabaseKind = 'sqlite') {
  const upstream = await startFaultyUpstream({ ok: validResponses.ok!, error_401: earlyFaults.error_401!.behaviour })
  const service = await startFaultyService(upstream, ['ok', 'error_401'], { kind })
  const ask = (model: string) =>
    service.ask('POST', '/chat/completions', { body: { model, messages: [{ role: 'user', content: 'Hi' }] } })
  return {
    upstream,
    service,
    ask,
    bring: (more: object = {}) => service.manage('POST', '/byok', { provider: 'faulty', key: secret, ...more }),
    usedKey: () => /authorization: Bearer (\S+)/i.exec(upstream.requests.at(-1)?.head ?? '')?.[1],
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]()
      await upstream[Symbol.asyncDispose]()
    },
  }
}

onOneDatabase('a provider key of the workspace’s own', (kind) => {
  test('is used at once, metered separately, and never returned', async () => {
    await using fixture = await setUp(kind)
    assert.equal((await fixture.ask('faulty/ok')).status, 200)
    assert.equal(fixture.usedKey(), undefined)
    const { status, body, text } = await fixture.bring({ name: 'Ours' })
    assert.deepEqual([status, body.data.label, body.data.sort_order], [201, 'sk-…wxyz', 0])
    assert.doesNotMatch(text, /0123456789/)
    const { headers } = await fixture.ask('faulty/ok')
    assert.equal(fixture.usedKey(), secret)
    const data = await untilMetered(fixture.service, headers.get('x-generation-id'))
    assert.deepEqual([data.is_byok, data.total_cost, data.upstream_inference_cost], [true, 0, 0.000037])
    for (const path of ['/audit', '/byok'])
      assert.doesNotMatch((await fixture.service.manage('GET', path)).text, /0123456789/)
  })

  test('a refusal by the provider names the owner of the key', async () => {
    await using fixture = await setUp(kind)
    const refusal = async () => (await fixture.ask('faulty/error_401')).body.error
    assert.equal((await refusal()).message, 'The provider refused this service’s credential.')
    await fixture.bring()
    const { code, message, metadata } = await refusal()
    assert.deepEqual([code, metadata], [502, { provider_name: 'faulty' }])
    assert.match(message, /refused the key of this workspace \(GET \/byok lists its keys\)\./)
  })

  test('is changed, disabled and deleted with effect on the next request', async () => {
    await using fixture = await setUp(kind)
    const { id } = (await fixture.bring()).body.data
    const used = async () => {
      await fixture.ask('faulty/ok')
      return fixture.usedKey()
    }
    await fixture.service.manage('PATCH', `/byok/${id}`, { key: 'another-key-0123456789' })
    assert.equal(await used(), 'another-key-0123456789')
    const off = await fixture.service.manage('PATCH', `/byok/${id}`, { disabled: true })
    assert.deepEqual([off.body.data.disabled, await used()], [true, undefined])
    assert.deepEqual((await fixture.service.manage('DELETE', `/byok/${id}`)).body, { deleted: true })
    assert.equal((await fixture.service.manage('GET', `/byok/${id}`)).status, 404)
  })
})

test('its rules select the requests, and it can exclude the operator’s key', async () => {
  await using fixture = await setUp()
  const { id } = (await fixture.bring({ allowed_models: ['faulty/other'] })).body.data
  await fixture.ask('faulty/ok')
  assert.equal(fixture.usedKey(), undefined)
  await fixture.service.manage('PATCH', `/byok/${id}`, { is_byok_only: true })
  assert.equal((await fixture.ask('faulty/ok')).status, 503)
  await fixture.service.manage('PATCH', `/byok/${id}`, {
    allowed_models: null,
    allowed_api_key_hashes: ['0'.repeat(64)],
  })
  assert.equal((await fixture.ask('faulty/ok')).status, 503)
  await fixture.service.manage('PATCH', `/byok/${id}`, { is_byok_only: false, is_required: true })
  assert.equal((await fixture.ask('faulty/ok')).status, 503)
  await fixture.service.manage('PATCH', `/byok/${id}`, { is_required: false })
  assert.equal((await fixture.ask('faulty/ok')).status, 200)
  assert.equal(fixture.usedKey(), undefined)
})

for (const rule of ['is_required', 'is_byok_only']) {
  test(`a disabled one with ${rule} does not allow the operator's`, async () => {
    await using fixture = await setUp()
    const { id } = (await fixture.bring({ [rule]: true })).body.data
    assert.equal((await fixture.ask('faulty/ok')).status, 200)
    await fixture.service.manage('PATCH', `/byok/${id}`, { disabled: true })
    assert.equal((await fixture.ask('faulty/ok')).status, 503)
    await fixture.service.manage('PATCH', `/byok/${id}`, { [rule]: false })
    assert.equal((await fixture.ask('faulty/ok')).status, 200)
    assert.equal(fixture.usedKey(), undefined)
  })
}

test('the list can be narrowed to one provider', async () => {
  await using fixture = await setUp()
  const [{ id }, other] = [(await fixture.bring()).body.data, await fixture.bring({ provider: 'sound' })]
  assert.equal(other.status, 201)
  const listed = async (query: string) => (await fixture.service.manage('GET', `/byok${query}`)).body
  const ids = (body: { data: { id: string }[] }) => body.data.map((one) => one.id)
  assert.deepEqual(ids(await listed('?provider=faulty')), [id])
  assert.deepEqual(ids(await listed('?provider=sound')), [other.body.data.id])
  assert.deepEqual([(await listed('')).total_count, (await listed('?provider=sound')).total_count], [2, 1])
})

test('its models can be named by id or canonical slug', async () => {
  await using fixture = await setUp()
  const { id } = (await fixture.bring({ is_required: true, allowed_models: ['faulty/ok'] })).body.data
  for (const name of ['faulty/ok', 'faulty/ok-2026-01-01']) {
    await fixture.service.manage('PATCH', `/byok/${id}`, { allowed_models: [name] })
    assert.equal((await fixture.ask('faulty/ok')).status, 200)
    assert.equal(fixture.usedKey(), secret, name)
  }
})

test('a limit that excludes own keys never limits their requests', async () => {
  await using fixture = await setUp()
  const { id } = (await fixture.bring({ is_byok_only: true })).body.data
  const key = (await fixture.service.manage('POST', '/keys', { name: 'poor', limit: 1e-9 })).body.key
  const body = { model: 'faulty/ok', messages: [{ role: 'user', content: 'Hi' }] }
  const ask = async () => (await fixture.service.ask('POST', '/chat/completions', { key, body })).status
  assert.equal(await ask(), 200)
  await fixture.service.manage('PATCH', `/byok/${id}`, { disabled: true, is_byok_only: false })
  assert.equal(await ask(), 403)
})

for (const include_byok_in_budgets of [false, true]) {
  const counts = include_byok_in_budgets ? 'counts' : 'does not count'
  test(`its requests count ${counts} against a limit that includes them`, async () => {
    await using fixture = await setUp()
    await fixture.bring()
    const guardrail = `/guardrails/${(await fixture.service.manage('GET', '/workspaces')).body.data[0].default_guardrail_id}`
    await fixture.service.manage('PATCH', guardrail, { limit_usd: 10, include_byok_in_budgets })
    const key = await fixture.service.manage('POST', '/keys', {
      ...{ name: 'limited', limit: 10, include_byok_in_limit: include_byok_in_budgets },
    })
    const body = { model: 'faulty/ok', messages: [{ role: 'user', content: 'Hi' }] }
    for (let times = 0; times < 2; times++) {
      const { status } = await fixture.service.ask('POST', '/chat/completions', { key: key.body.key, body })
      assert.deepEqual([status, fixture.usedKey()], [200, secret])
    }
    const spent = include_byok_in_budgets ? 0.000074 : 0
    const data = await until(async () => {
      const { data } = (await fixture.service.ask('GET', '/key', { key: key.body.key })).body
      return data.byok_usage >= 0.000074 && data.limit_remaining <= 10 - spent && data
    })
    const spentUsd = async () => (await fixture.service.manage('GET', guardrail)).body.data.spent_usd
    assert.equal(await until(async () => (await spentUsd()) === spent), true)
    assert.deepEqual([data.limit_remaining, data.byok_usage], [10 - spent, 0.000074])
  })
}

test('a fallback is used only where nothing else opens the provider', async () => {
  await using fixture = await setUp()
  await fixture.bring({ is_fallback: true })
  await fixture.ask('faulty/ok')
  assert.equal(fixture.usedKey(), undefined)
})

test('one that is refused shuts no endpoint to other workspaces', async () => {
  await using fixture = await setUp()
  await fixture.bring()
  await until(async () => (await fixture.ask('faulty/error_401')).status === 503)
  const created = await fixture.service.manage('POST', '/workspaces', { name: 'Other', slug: 'other' })
  const other = await fixture.service.manage('POST', '/keys', { name: 'k', workspace_id: created.body.data.id })
  const body = { model: 'faulty/error_401', messages: [{ role: 'user', content: 'Hi' }] }
  assert.equal((await fixture.service.ask('POST', '/chat/completions', { key: other.body.key, body })).status, 502)
})

test('invalid values are refused by name', async () => {
  await using fixture = await setUp()
  for (const [more, result] of [
    [{ provider: 'nobody' }, /provider: provider not found/],
    [{ key: 'has space' }, /key: must be visible ASCII/],
    [{ is_fallback: true, is_byok_only: true }, /is_fallback: cannot be set together/],
    [{ workspace_id: 'x' }, /workspace_id: workspace not found/],
    [{ allowed_models: [] }, /allowed_models/],
    [{ declared_zdr: true }, /declared_zdr: cannot be set here/],
  ] as const) {
    const { status, text } = await fixture.bring(more)
    assert.equal(status, 400, text)
    assert.match(text, result)
  }
})
