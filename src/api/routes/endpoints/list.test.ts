import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startWithModels } from '#test/harness/records/model-catalogue.ts'

const models = {
  'a/model-1.5@x:free': {
    name: 'Model',
    created: '2026-01-01',
    aliases: ['a/latest', 'someone/else'],
    family: 'm',
    endpoints: {
      north: { prices: { prompt: 3, completion: 15, cache_read: 0.3 }, data_policy: { zdr: true } },
      south: { quantization: 'fp8', max_completion_tokens: 500 },
    },
  },
  'a/other': { description: 'Words', tokenizer: 'GPT' },
}

test('a model is found by id, canonical slug and alias, with any percent-encoding', async () => {
  await using service = await startWithModels(models)
  const names = ['a/model-1.5@x:free', 'a/model-1.5%40x%3Afree', '%61/model-1%2E5@x:free', 'a/latest', 'someone/else']
  for (const name of [...names, 'a/model-1.5@x-2026-01-01:free']) {
    const { status, body } = await service.ask('GET', `/models/${name}/endpoints`)
    assert.deepEqual([status, body.data?.id], [200, 'a/model-1.5@x:free'], name)
    assert.equal((await service.ask('GET', `/model/${name}`)).body.data.id, 'a/model-1.5@x:free', name)
  }
})

test('an unknown model is 404, with its name', async () => {
  await using service = await startWithModels(models)
  for (const name of ['a/model-1.5@x', 'a/none', 'A/other', 'a/other:free']) {
    const { status, body } = await service.ask('GET', `/models/${name}/endpoints`)
    assert.equal(status, 404)
    assert.ok(body.error.message.startsWith(`Model "${name}" not found. `), body.error.message)
  }
})

test('an endpoint has prices, features and limits; unmeasured values are null', async () => {
  await using service = await startWithModels(models)
  const { body } = await service.ask('GET', '/models/a/latest/endpoints')
  const { endpoints, ...model } = body.data
  assert.deepEqual([model.name, model.created, model.description], ['Model', Date.UTC(2026, 0, 1) / 1000, ''])
  assert.deepEqual(model.architecture, {
    modality: 'text->text',
    input_modalities: ['text'],
    output_modalities: ['text'],
    tokenizer: null,
    instruct_type: null,
  })
  const [north, south] = endpoints
  assert.deepEqual([north.tag, north.provider_name, north.model_id], ['north', 'North Cloud', 'a/model-1.5@x:free'])
  assert.deepEqual(north.pricing, { prompt: '0.000003', completion: '0.000015', input_cache_read: '0.0000003' })
  assert.deepEqual(
    [south.quantization, south.max_completion_tokens, south.max_prompt_tokens],
    ['fp8', 500, south.context_length],
  )
  for (const name of [
    'latency_last_30m',
    'throughput_last_30m',
    'uptime_last_5m',
    'uptime_last_30m',
    'uptime_last_1d',
  ]) {
    assert.equal(north[name], null, name)
  }
})

test('an endpoint without credential is unconfigured, in both dialects', async () => {
  const statusesWith = async (options: Parameters<typeof startWithModels>[1]) => {
    await using service = await startWithModels(models, options)
    const { body } = await service.ask('GET', '/models/a/latest/endpoints')
    return body.data.endpoints.map((endpoint: { status: unknown }) => endpoint.status)
  }
  const variables = { SOUTH_API_KEY: 'secret' }
  assert.deepEqual(await statusesWith({}), ['healthy', 'unconfigured'])
  assert.deepEqual(await statusesWith({ variables }), ['healthy', 'healthy'])
  assert.deepEqual(await statusesWith({ settings: { dialect: 'openrouter' } }), [0, -10])
})

test('the endpoints that retain no data are listed, and no others', async () => {
  await using service = await startWithModels(models)
  const { body } = await service.ask('GET', '/endpoints/zdr')
  assert.deepEqual(
    body.data.map((endpoint: { model_id: string; tag: string }) => `${endpoint.model_id} ${endpoint.tag}`),
    ['a/model-1.5@x:free north'],
  )
})
