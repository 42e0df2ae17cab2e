import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { OpenRouter } from '@openrouter/sdk'
import { ForbiddenResponseError, NotFoundResponseError } from '@openrouter/sdk/models/errors'
import OpenAI, { NotFoundError, PermissionDeniedError } from 'openai'
import { startWithModels } from '#test/harness/records/model-catalogue.ts'
import type { TestService } from '#test/harness/service/service.ts'

const dear = { prices: { prompt: 1000, completion: 1000 }, data_policy: { zdr: true } }
const models = {
  'anthropic/keeps': {},
  'other/trains': { endpoints: { north: { data_policy: { trains: true, zdr: true } } } },
  'other/publishes': {
    endpoints: { north: { prices: { prompt: 0, completion: 0 }, data_policy: { publishes: true } } },
  },
  'other/dear': { endpoints: { north: dear } },
}

/** A guardrail, the request that it refuses, the rule in the refusal, and the text for a person. */
const refusals: [string, object, string, string, RegExp][] = [
  [
    'a model that is not allowed',
    { allowed_models: ['other/dear'] },
    'anthropic/keeps',
    'allowed_models',
    /the model anthropic\/keeps is not allowed/,
  ],
  [
    'a model that is ignored',
    { ignored_models: ['other/dear'] },
    'other/dear',
    'ignored_models',
    /the model other\/dear is not allowed/,
  ],
  [
    'a provider that is ignored',
    { ignored_providers: ['north'] },
    'other/dear',
    'ignored_providers',
    /no provider of other\/dear is allowed: north/,
  ],
  [
    'a provider that is not allowed',
    { allowed_providers: ['south'] },
    'other/dear',
    'allowed_providers',
    /no provider of other\/dear is allowed: north/,
  ],
  [
    'a vendor’s model where data is retained',
    { enforce_zdr_anthropic: true },
    'anthropic/keeps',
    'enforce_zdr_vendor_a',
    /no provider of anthropic\/keeps/,
  ],
  [
    'a paid endpoint that trains',
    { enable_paid_model_training: false },
    'other/trains',
    'enable_paid_model_training',
    /no provider of other\/trains/,
  ],
  [
    'a free endpoint that publishes',
    { enable_free_model_publication: false },
    'other/publishes',
    'enable_free_model_publication',
    /no provider of other\/publishes/,
  ],
  [
    'a region that is not allowed',
    { allowed_data_regions: ['europe'] },
    'other/dear',
    'allowed_data_regions',
    /through the region "global"/,
  ],
  [
    'a text that a filter blocks',
    { content_filters: [{ pattern: '^H[i]$', action: 'block' }] },
    'anthropic/keeps',
    'content_filters[0]',
    /the request contains text that this filter blocks/,
  ],
  ['a limit that leaves no room', { limit_usd: 0.01 }, 'other/dear', 'limit_usd', /0\.01 USD.*It does not reset/],
]

describe('refusals, as clients see them', () => {
  let service: TestService
  before(async () => {
    service = await startWithModels(models)
  })
  after(() => service[Symbol.asyncDispose]())

  const openai = (apiKey: string) => new OpenAI({ apiKey, baseURL: service.url, maxRetries: 0 })
  const router = (apiKey: string) =>
    new OpenRouter({ apiKey, serverURL: service.url, retryConfig: { strategy: 'none' } })
  const messages = [{ role: 'user' as const, content: 'Hi' }]

  async function keyUnder(name: string, policy: object): Promise<string> {
    const { body: guardrail } = await service.manage('POST', '/guardrails', { name, ...policy })
    const { body } = await service.manage('POST', '/keys', { name })
    await service.manage('POST', `/guardrails/${guardrail.data.id}/assignments/keys`, { key_hashes: [body.data.hash] })
    return body.key
  }

  for (const [what, policy, model, rule, message] of refusals) {
    test(`${what} is a separate error class with the guardrail and the rule ${rule}`, async () => {
      const key = await keyUnder(`Against ${what}`, policy)
      const seen = (error: unknown) => {
        assert.ok(error instanceof PermissionDeniedError)
        assert.equal(error.status, 403)
        assert.match(error.message, message)
        const { code, metadata } = error.error as { code: number; metadata: Record<string, unknown> }
        assert.deepEqual([code, metadata.rule, typeof metadata.guardrail_id], [403, rule, 'string'])
        return true
      }
      await assert.rejects(openai(key).chat.completions.create({ model, messages }), seen)
      await assert.rejects(openai(key).chat.completions.create({ model, messages, stream: true }), seen)
      await assert.rejects(openai(key).responses.create({ model, input: 'Hi' }), seen)
      await assert.rejects(router(key).chat.send({ chatRequest: { model, messages } }), (error: unknown) => {
        assert.ok(error instanceof ForbiddenResponseError)
        assert.equal(error.statusCode, 403)
        assert.match(error.message, message)
        return true
      })
    })
  }

  test('a preset that is not active is a not-found error that names it', async () => {
    await service.manage('POST', '/presets/resting/responses', { model: 'other/dear' })
    await service.manage('PATCH', '/presets/resting', { status: 'archived' })
    const model = '@preset/resting'
    await assert.rejects(openai(service.apiKey).chat.completions.create({ model, messages }), (error: unknown) => {
      assert.ok(error instanceof NotFoundError)
      assert.match(error.message, /Preset "resting" not found/)
      return true
    })
    await assert.rejects(router(service.apiKey).chat.send({ chatRequest: { model, messages } }), (error: unknown) => {
      assert.ok(error instanceof NotFoundResponseError)
      assert.match(error.message, /Preset "resting" not found/)
      return true
    })
  })
})
