import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OpenRouter } from '@openrouter/sdk'
import { type GetModelsRequest, GetModelsSort } from '@openrouter/sdk/models/operations'
import { startTestService, type TestService } from '../harness/service/service.ts'

/** The official client, validating every response against its own schemas; the service speaks its dialect. */
function findClient(service: TestService): OpenRouter {
  return new OpenRouter({ apiKey: service.apiKey, serverURL: service.url, retryConfig: { strategy: 'none' } })
}
const dialect = { settings: { dialect: 'openrouter' } } as const

const questions: GetModelsRequest[] = [
  {},
  { outputModalities: 'all' },
  { category: 'programming', supportedParameters: 'tools,temperature', inputModalities: 'text,image' },
  { q: 'claude', arch: 'Claude', modelAuthors: 'anthropic,openai', providers: 'Anthropic' },
  { context: 100_000, minPrice: 0, maxPrice: 10.5, minOutputPrice: 0, maxOutputPrice: 100 },
  { minPrice: null, maxPrice: null, minAgeDays: null, maxAgeDays: null, maxIntelligenceIndex: null, offset: null },
  { distillable: 'false', zdr: 'true', region: 'eu', minAgeDays: 1, maxAgeDays: 10_000 },
  { minIntelligenceIndex: 1, maxIntelligenceIndex: 100, minCodingIndex: 0.5, maxCodingIndex: 99.5 },
  { minAgenticIndex: 1, maxAgenticIndex: 100, minToolSuccessRate: 0.1, maxToolSuccessRate: 1 },
  ...Object.values(GetModelsSort).map((sort) => ({ sort })),
]

test('models.list: every filter and every sort of the client', async () => {
  await using service = await startTestService(dialect)
  const { models } = findClient(service)
  for (const question of questions) {
    for await (const page of await models.list(question))
      assert.equal(page.result.totalCount >= page.result.data.length, true)
  }
  const { result } = await models.list({ q: 'signalbox' })
  assert.deepEqual(
    result.data.map((model) => model.id),
    ['signalbox/demo'],
  )
})

test('models.list: page by page it is the whole list', async () => {
  await using service = await startTestService(dialect)
  const seen: string[] = []
  for await (const page of await findClient(service).models.list({ limit: 1, outputModalities: 'all' })) {
    seen.push(...page.result.data.map((model) => model.id))
  }
  const { body } = await service.ask('GET', '/models?output_modalities=all')
  assert.deepEqual(
    seen,
    body.data.map((model: { id: string }) => model.id),
  )
})

test('models.count, models.get and models.listForUser', async () => {
  await using service = await startTestService(dialect)
  const { models } = findClient(service)
  const { body } = await service.ask('GET', '/models?output_modalities=all')
  assert.equal((await models.count({ outputModalities: 'all' })).data.count, body.total_count)
  assert.equal((await models.get({ author: 'signalbox', slug: 'demo' })).data.id, 'signalbox/demo')
  const userModels = await models.listForUser({ bearer: service.apiKey }, { outputModalities: 'all' })
  const callable = body.data.filter((model: { callable?: false }) => model.callable !== false)
  assert.ok(callable.length > 1)
  assert.equal(userModels.result.totalCount, callable.length)
})

test('endpoints.list of every model, endpoints.listZdrEndpoints and providers.list', async () => {
  await using service = await startTestService(dialect)
  const { endpoints, providers } = findClient(service)
  const { body } = await service.ask('GET', '/models?output_modalities=all')
  for (const { id } of body.data) {
    const [author, slug] = id.split('/')
    assert.equal((await endpoints.list({ author, slug })).data.id, id)
  }
  assert.ok(Array.isArray((await endpoints.listZdrEndpoints()).data))
  assert.ok((await providers.list()).data.some((provider) => provider.slug === 'signalbox'))
})
