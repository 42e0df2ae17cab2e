import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { startTestService, type TestService } from '#test/harness/service/service.ts'

describe('the specification to the letter', () => {
  let service: TestService
  before(async () => {
    service = await startTestService({ strictResponses: true })
  })
  after(() => service[Symbol.asyncDispose]())

  const defaultGuardrail = async () => {
    const [workspace] = (await service.manage('GET', '/workspaces')).body.data
    return workspace.default_guardrail_id as string
  }

  test('GET /models: max_completion_tokens is an integer for every model', async () => {
    const { body } = await service.ask('GET', '/models')
    for (const { id, top_provider, links } of body.data) {
      assert.ok(Number.isInteger(top_provider.max_completion_tokens), id)
      const { data } = (await service.ask('GET', links.details.replace('/api/v1', ''))).body
      const listed = data.endpoints.map((endpoint: any) => endpoint.max_completion_tokens)
      assert.ok(listed.includes(top_provider.max_completion_tokens), id)
    }
  })

  test('GET /models: integers of any size are accepted', async () => {
    const sizes = ['2147483648', '99999999999', '99999999999999999999999']
    for (const name of ['context', 'min_age_days', 'max_age_days']) {
      for (const size of sizes) {
        const { status, body } = await service.ask('GET', `/models?${name}=${size}`)
        assert.equal(status, 200, `${name}=${size}`)
        if (name !== 'max_age_days') assert.deepEqual(body.data, [])
      }
    }
    assert.equal((await service.ask('GET', '/models?context=0')).status, 400)
  })

  test('PATCH /guardrails: the label of a builtin filter must be a string', async () => {
    const path = `/guardrails/${await defaultGuardrail()}`
    const patch = (label: unknown) =>
      service.manage('PATCH', path, { content_filter_builtins: [{ slug: 'email', action: 'redact', label }] })
    for (const label of [5, true, [], {}, null]) assert.equal((await patch(label)).status, 400, JSON.stringify(label))
    const { status, body } = await patch('[MAIL]')
    assert.deepEqual([status, body.data.content_filter_builtins[0].label], [200, '[EMAIL]'])
  })

  test('intern chat: a refusal by a guardrail has a reason and x-should-retry', async () => {
    const { id } = (await service.ask('POST', '/interns', { body: { name: 'ada' } })).body
    const path = `/guardrails/${await defaultGuardrail()}`
    assert.equal((await service.manage('PATCH', path, { allowed_data_regions: ['europe'] })).status, 200)
    const request = { stream: true, messages: [{ role: 'user', content: 'Hi' }] }
    const { status, headers, body } = await service.ask('POST', `/interns/${id}/chat/completions`, { body: request })
    assert.equal(status, 403)
    assert.deepEqual(body.error.metadata, { reason: 'bad_request', retryable: false })
    assert.equal(headers.get('x-should-retry'), 'false')
  })

  test('description: a repeated creation is a 200, an unchanged list a 304', async () => {
    const { paths, components } = (await service.ask('GET', '/openapi.json')).body
    const body = { name: 'twice' }
    const headers = { 'idempotency-key': 'k' }
    const create = async () => (await service.ask('POST', '/interns', { body, headers })).status
    assert.deepEqual([await create(), await create()], [201, 200])
    assert.ok(paths['/interns'].post.responses['200'])
    const { etag } = Object.fromEntries((await service.ask('GET', '/models')).headers)
    const unchanged = await service.ask('GET', '/models', { headers: { 'if-none-match': etag! } })
    assert.equal(unchanged.status, 304)
    assert.ok(paths['/models'].get.responses['304'])
    const described = Object.keys(components.schemas.CurrentKey.properties)
    const { data } = (await service.ask('GET', '/key')).body
    assert.deepEqual(
      Object.keys(data).filter((name) => !described.includes(name)),
      [],
    )
  })

  test('description: a list of a guardrail has no item twice', async () => {
    const { GuardrailPatch } = (await service.ask('GET', '/openapi.json')).body.components.schemas
    for (const name of ['allowed_data_regions', 'allowed_models', 'ignored_providers', 'content_filters'])
      assert.equal(GuardrailPatch.properties[name].anyOf[0].uniqueItems, true, name)
  })

  test('description: `route` is deprecated, and intern chat lists no 500', async () => {
    const { body } = await service.ask('GET', '/openapi.json')
    assert.equal(body.components.schemas.ResponsesRequest.properties.route.deprecated, true)
    const { responses } = body.paths['/interns/{internId}/chat/completions'].post
    assert.equal('500' in responses, false)
    assert.equal('500' in body.paths['/models'].get.responses, true)
  })
})
