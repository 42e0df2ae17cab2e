import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { TestService } from '#test/harness/service/service.ts'
import { untilMetered } from '#test/harness/service/world/generation-record.ts'
import { type RecordedProviders, startWithRecordings } from '#test/harness/upstream/recorded-providers.ts'

const requests = ['openai-chat/text', 'openai-chat/text', 'anthropic-messages/text', 'google-gemini/text']

describe('POST /guardrails/{id}/replay', () => {
  let recorded: RecordedProviders
  let service: TestService
  let id: string
  let other: { key: string; hash: string }
  const ask = (model: string, key?: string) =>
    service.ask('POST', '/chat/completions', {
      body: { model, messages: [{ role: 'user', content: 'Hi' }] },
      ...(key && { key }),
    })
  const replay = async (body: object, guardrail = id) => {
    const { status, body: response, text } = await service.manage('POST', `/guardrails/${guardrail}/replay`, body)
    assert.equal(status, 200, text)
    return response.data
  }
  before(async () => {
    recorded = await startWithRecordings()
    service = recorded.service
    id = (await service.manage('GET', '/workspaces')).body.data[0].default_guardrail_id
    const { body } = await service.manage('POST', '/keys', { name: 'other' })
    other = { key: body.key, hash: body.data.hash }
    for (const model of requests) assert.equal((await ask(model)).status, 200)
    const last = await ask('openai-responses/text', other.key)
    await untilMetered(service, last.headers.get('x-generation-id'))
  })
  after(() => recorded[Symbol.asyncDispose]())

  test('returns the refusals of a change by rule and model, and changes nothing', async () => {
    const response = await replay({ policy: { ignored_models: ['openai-chat/text'] } })
    assert.deepEqual(
      [response.requests, response.would_refuse, response.would_reroute, response.would_redact],
      [5, 2, 0, 0],
    )
    assert.deepEqual(response.by_rule, [{ rule: 'ignored_models', outcome: 'refuse', requests: 2, usd: 0.000078 }])
    assert.deepEqual(
      [response.by_model[0].model, response.by_model[0].would_refuse, response.by_model.length],
      ['openai-chat/text', 2, 4],
    )
    assert.deepEqual(response.undecidable, [])
    assert.equal((await service.manage('GET', `/guardrails/${id}`)).status, 404)
    assert.equal((await service.manage('GET', '/audit?target_kind=guardrail')).body.total_count, 0)
  })

  test('refuses by region, provider and retention as the door does', async () => {
    const refused = async (policy: object) => {
      const { would_refuse, by_rule } = await replay({ policy })
      return [would_refuse, by_rule[0]?.rule]
    }
    assert.deepEqual(await refused({ allowed_data_regions: ['europe'] }), [5, 'allowed_data_regions'])
    assert.deepEqual(await refused({ allowed_providers: ['openai-chat'] }), [3, 'allowed_providers'])
    assert.deepEqual(await refused({ enforce_zdr: true }), [5, 'enforce_zdr_other'])
    assert.deepEqual(await refused({}), [0, undefined])
  })

  test('holds a limit against the costs, in order of time', async () => {
    // The first two cost 0.000039 USD each, so the second exceeds the limit.
    const response = await replay({ policy: { limit_usd: 0.00005, reset_interval: 'monthly' } })
    assert.equal(response.by_rule[0].rule, 'limit_usd')
    assert.equal(response.by_model.find(({ model }: any) => model === 'openai-chat/text').would_refuse, 1)
    assert.match(response.notes.at(-1), /reserves its highest/)
  })

  test('reports rules that cannot be evaluated without prompts', async () => {
    const response = await replay({
      policy: {
        content_filter_builtins: [{ slug: 'email', action: 'block' }],
        content_filters: [{ pattern: 'secret', action: 'redact' }],
      },
    })
    assert.deepEqual(
      response.undecidable.map(({ rule, requests }: any) => [rule, requests]),
      [
        ['content_filter_builtins', 5],
        ['content_filters', 5],
      ],
    )
    assert.deepEqual([response.would_refuse, response.would_redact], [0, 0])
  })

  test('of an assigned guardrail reads only the requests of its keys and members', async () => {
    const { body } = await service.manage('POST', '/guardrails', { name: 'One', allowed_models: ['openai-chat/text'] })
    assert.equal((await replay({}, body.data.id)).requests, 0)
    await service.manage('POST', `/guardrails/${body.data.id}/assignments/keys`, { key_hashes: [other.hash] })
    const response = await replay({}, body.data.id)
    assert.deepEqual(
      [response.requests, response.would_refuse, response.by_model[0].model],
      [1, 1, 'openai-responses/text'],
    )
    await service.manage('DELETE', `/guardrails/${body.data.id}`)
  })

  test('reads only the requested time', async () => {
    const past = await replay({ from: '2020-01-01T00:00:00Z', to: '2020-02-01T00:00:00+01:00', policy: {} })
    assert.deepEqual([past.requests, past.to], [0, '2020-01-31T23:00:00.000Z'])
  })

  test('refuses invalid policies, invalid times, and keys without permission', async () => {
    const refused = async (body: object) => {
      const { status, body: response } = await service.manage('POST', `/guardrails/${id}/replay`, body)
      return `${status} ${response.error.message}`
    }
    assert.match(await refused({ policy: { allowed_models: ['no/such'] } }), /^400 .*allowed_models\[0\]/)
    assert.match(await refused({ policy: { reset_interval: 'daily' } }), /^400 .*reset_interval/)
    assert.match(await refused({ from: '2020-01-01T00:00:00Z' }), /^400 .*at most 92 days/)
    assert.match(await refused({ from: '2020-01-02T00:00:00Z', to: '2020-01-01T00:00:00Z' }), /^400 .*before to/)
    assert.match(await refused({ from: 'yesterday' }), /^400 .*from/)
    assert.match(await refused({}), /^404 Guardrail not found/)
    assert.equal((await service.ask('POST', `/guardrails/${id}/replay`, { body: {} })).status, 401)
  })

  test('predicts how many of the same requests the guardrail refuses after the change', async () => {
    const policy = { ignored_providers: ['openai-chat'], ignored_models: ['google-gemini/text'] }
    const { would_refuse } = await replay({ policy })
    await service.manage('PATCH', `/guardrails/${id}`, policy)
    const statuses = [...(await Promise.all(requests.map((model) => ask(model)))), await ask('openai-responses/text')]
    assert.equal(statuses.filter(({ status }) => status === 403).length, would_refuse)
    assert.equal(would_refuse, 3)
    assert.equal((await replay({})).would_refuse, 3)
  })
})
