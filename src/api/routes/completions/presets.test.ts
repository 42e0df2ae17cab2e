import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { TestService } from '#test/harness/service/service.ts'
import { untilMetered } from '#test/harness/service/world/generation-record.ts'
import { type RecordedProviders, startWithRecordings } from '#test/harness/upstream/recorded-providers.ts'

const messages = [{ role: 'user', content: 'Hi' }]
const function_ = { name: 'look_up', parameters: { type: 'object', properties: {} } }

describe('a completion that names a preset', () => {
  let recorded: RecordedProviders
  let service: TestService
  before(async () => {
    recorded = await startWithRecordings()
    service = recorded.service
    await service.manage('POST', '/presets/haiku/responses', {
      model: 'openai-chat/text',
      instructions: 'Rhyme.',
      temperature: 0.9,
      max_output_tokens: 50,
      tools: [{ type: 'function', ...function_ }],
    })
    await service.manage('POST', '/presets/stopping/chat/completions', { model: 'openai-responses/text', stop: ['x'] })
  })
  after(() => recorded[Symbol.asyncDispose]())

  const chat = (body: object) => service.ask('POST', '/chat/completions', { body: { messages, ...body } })
  const sent = () => recorded.upstream.requests.at(-1)?.body

  test('is sent with the preset’s fields, and recorded with slug and version', async () => {
    const { status, headers } = await chat({ preset: 'haiku', top_p: 0.5 })
    assert.equal(status, 200)
    assert.deepEqual(sent(), {
      model: 'text',
      messages: [{ role: 'system', content: 'Rhyme.' }, ...messages],
      top_p: 0.5,
      temperature: 0.9,
      max_tokens: 50,
      tools: [{ type: 'function', function: function_ }],
      stream: false,
    })
    const { preset, preset_id } = await untilMetered(service, headers.get('x-generation-id'))
    assert.deepEqual([preset.slug, preset.version, preset.id], ['haiku', 1, preset_id])
  })

  test('can name it as the model, alone or after a model', async () => {
    assert.equal((await chat({ model: '@preset/haiku' })).status, 200)
    assert.equal(sent().temperature, 0.9)
    const withSuffix = await chat({ model: 'openai-chat/parallel-tools@preset/haiku', temperature: 0 })
    assert.deepEqual([withSuffix.status, sent().model, sent().temperature], [200, 'parallel-tools', 0])
  })

  test('can name an unused version; the error for a missing one has its number', async () => {
    const save = (temperature: number) =>
      service.manage('POST', '/presets/versions/chat/completions', { model: 'openai-chat/text', temperature })
    await save(0.1)
    await save(0.2)
    for (const [body, temperature] of [
      [{ model: '@preset/versions@1' }, 0.1],
      [{ preset: 'versions@1' }, 0.1],
      [{ model: '@preset/versions@2' }, 0.2],
      [{ model: '@preset/versions' }, 0.2],
      [{ model: 'openai-chat/parallel-tools@preset/versions@1' }, 0.1],
    ] as const) {
      const { status, headers } = await chat(body)
      assert.deepEqual([status, sent().temperature], [200, temperature], JSON.stringify(body))
      const { preset } = await untilMetered(service, headers.get('x-generation-id'))
      assert.deepEqual([preset.slug, preset.version], ['versions', temperature * 10])
    }
    const missing = await chat({ model: '@preset/versions@3' })
    assert.deepEqual([missing.status, missing.body.error.message], [404, 'Version 3 of preset "versions" not found.'])
    await service.manage('PATCH', '/presets/versions', { status: 'disabled' })
    assert.equal((await chat({ model: '@preset/versions@1' })).status, 404)
  })

  test('gets the same fields in a responses body, with the names of that protocol', async () => {
    const body = { model: 'openai-responses/text@preset/haiku', input: 'Hi', instructions: 'Be brief.' }
    assert.equal((await service.ask('POST', '/responses', { body })).status, 200)
    const { instructions, max_output_tokens, tools, preset } = sent()
    assert.deepEqual([instructions, max_output_tokens, preset], ['Rhyme.\n\nBe brief.', 50, undefined])
    assert.deepEqual(tools, [{ type: 'function', ...function_ }])
  })

  test('does not send fields that the protocol of the upstream lacks', async () => {
    const body = { preset: 'stopping', input: 'Hi' }
    assert.equal((await service.ask('POST', '/responses', { body })).status, 200)
    assert.equal('stop' in sent(), false)
    await service.ask('POST', '/responses', { body: { ...body, model: 'openai-chat/text' } })
    assert.deepEqual(sent().stop, ['x'])
  })

  test('uses the designated version, at once', async () => {
    await service.manage('POST', '/presets/turning/responses', { model: 'openai-chat/text', temperature: 0.1 })
    await chat({ preset: 'turning' })
    await service.manage('POST', '/presets/turning/responses', { model: 'openai-chat/text', temperature: 0.2 })
    await chat({ preset: 'turning' })
    assert.equal(sent().temperature, 0.2)
    await service.manage('POST', '/presets/turning/versions/1/designate')
    await chat({ preset: 'turning' })
    assert.equal(sent().temperature, 0.1)
  })

  test('is refused when the preset is not active, as if there were none', async () => {
    await service.manage('POST', '/presets/off/responses', { model: 'openai-chat/text' })
    assert.equal((await chat({ preset: 'off' })).status, 200)
    await service.manage('PATCH', '/presets/off', { status: 'disabled' })
    const { status, body } = await chat({ preset: 'off' })
    assert.deepEqual([status, body.error], [404, { code: 404, message: 'Preset "off" not found.' }])
    const never = await chat({ preset: 'never' })
    assert.deepEqual([never.status, never.body.error.message], [404, 'Preset "never" not found.'])
    await service.manage('PATCH', '/presets/off', { status: 'active' })
    assert.equal((await chat({ preset: 'off' })).status, 200)
  })

  test('does not reach a preset of another workspace', async () => {
    const { body: created } = await service.manage('POST', '/workspaces', { name: 'Other', slug: 'other' })
    const { body: key } = await service.manage('POST', '/keys', { name: 'other', workspace_id: created.data.id })
    const body = { messages, preset: 'haiku' }
    const { status } = await service.ask('POST', '/chat/completions', { key: key.key, body })
    assert.equal(status, 404)
  })

  test('needs a model from one of the two', async () => {
    await service.manage('POST', '/presets/bare/responses', { temperature: 0.3 })
    const { status, body } = await chat({ preset: 'bare' })
    assert.deepEqual([status, body.error.message.slice(0, 22)], [400, 'Invalid request: model'])
    assert.equal((await chat({ preset: 'bare', model: 'openai-chat/text' })).status, 200)
  })

  test('is subject to guardrails, which a preset cannot bypass', async () => {
    const { body: created } = await service.manage('POST', '/guardrails', {
      name: 'Strict',
      ignored_models: ['openai-chat/text'],
    })
    const { body: key } = await service.manage('POST', '/keys', { name: 'strict' })
    await service.manage('POST', `/guardrails/${created.data.id}/assignments/keys`, { key_hashes: [key.data.hash] })
    const body = { messages, preset: 'haiku' }
    const { status, body: refused } = await service.ask('POST', '/chat/completions', { key: key.key, body })
    assert.deepEqual([status, refused.error.metadata.rule], [403, 'ignored_models'])
  })
})
