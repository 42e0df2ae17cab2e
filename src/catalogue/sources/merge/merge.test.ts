import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readCatalogueFile } from '../format/format.ts'
import { mergeLayers } from './merge.ts'

const base = `
providers:
  acme: { name: Acme, protocol: openai-chat, base_url: https://acme.example/v1, credentials: [ACME_KEY] }
  other: { name: Other, protocol: anthropic-messages }
models:
  maker/model:
    name: Model
    created: 2026-01-31
    context_length: 1000
    aliases: [maker/old-name]
    benchmarks: { coding: 40 }
    endpoints:
      acme: { model: m, prices: { prompt: 1, completion: 2 }, supported_parameters: [tools, tool_choice] }
      other: { model: m2, context_length: 500, prices: { prompt: 3, completion: 4 } }
`

function merged(...files: string[]) {
  return mergeLayers(files.map((text, index) => readCatalogueFile(text, `file ${index + 1}`)))
}

const only = (...files: string[]) => merged(base, ...files).data.models[0]!

test('an override changes only the fields that it sets', () => {
  const model = only('models: { maker/model: { endpoints: { acme: { prices: { prompt: 0.5 }, regions: [europe] } } } }')
  const [acme, other] = model.endpoints
  assert.deepEqual([acme?.prices, acme?.regions], [{ prompt: '0.0000005', completion: '0.000002' }, ['europe']])
  assert.deepEqual([acme?.upstreamModel, other?.prices.prompt, model.name], ['m', '0.000003', 'Model'])
})

test('an endpoint inherits missing fields from its model and provider', () => {
  const [acme, other] = only().endpoints
  assert.deepEqual([acme?.contextLength, other?.contextLength], [1000, 500])
  assert.deepEqual([acme?.id, acme?.name], ['maker/model@acme', 'Acme | maker/model-2026-01-31'])
  assert.deepEqual([acme?.toolChoice.required, acme?.parametersAssumed], [true, undefined])
  // No source lists the parameters of the other one, so those of most servers are assumed, including tools.
  assert.deepEqual([other?.toolChoice.required, other?.parametersAssumed], [true, true])
  assert.ok(other?.supportedParameters.includes('tools'))
  const none = only('models: { maker/model: { endpoints: { other: { supported_parameters: [] } } } }').endpoints[1]
  assert.deepEqual([none?.supportedParameters, none?.toolChoice.required], [[], false])
})

test('a provider’s prices are those of its endpoints that name none', () => {
  const priced = 'providers: { acme: { prices: { prompt: 0, completion: 0 } } }'
  const local = 'models: { maker/model: { endpoints: { acme/two: { model: m } } } }'
  const [acme, , two] = only(priced, local).endpoints
  assert.deepEqual([acme?.prices.prompt, two?.prices], ['0.000001', { prompt: '0', completion: '0' }])
})

test('a later source adds to the compatibility and the prices of a provider', () => {
  const first = `
providers:
  acme:
    compatibility: { stops_on_disconnect: true, cost_lookup: openrouter }
    prices: { prompt: 1, tools: { web_search: 0.01 }, service_tiers: { flex: { prompt: 1 } } }`
  const second = `
providers:
  acme:
    compatibility: { cost_lookup: openai-responses, developer_role: true }
    prices: { completion: 2, tools: { maps: 0 }, service_tiers: { priority: { prompt: 9 } } }`
  const acme = merged(base, first, second).data.providers.find(({ slug }) => slug === 'acme')
  assert.deepEqual(acme?.compatibility, {
    stopsOnDisconnect: true,
    costLookup: 'openai-responses',
    developerRole: true,
  })
  assert.deepEqual(acme?.prices, {
    prompt: '0.000001',
    completion: '0.000002',
    tools: { web_search: '0.01', maps: '0' },
    serviceTiers: { flex: { prompt: '0.000001' }, priority: { prompt: '0.000009' } },
  })
})

test('prices of tools and service tiers add up, and an endpoint overrides its provider', () => {
  const first = `
providers: { acme: { tools: { web_search: 0.01, file_search: 0.002 } } }
models: { maker/model: { endpoints: { acme: { prices: { tools: { web_search: 0.02 }, service_tiers: { flex: { prompt: 1 } } } } } } }`
  const second = `
providers: { acme: { tools: { file_search: 0.003 } } }
models: { maker/model: { endpoints: { acme: { prices: { tools: { maps: 0 }, service_tiers: { priority: { prompt: 9 } } } } } } }`
  const { prices } = only(first, second).endpoints[0]!
  assert.deepEqual(prices.tools, { web_search: '0.02', file_search: '0.003', maps: '0' })
  assert.deepEqual(Object.keys(prices.serviceTiers ?? {}), ['flex', 'priority'])
})

test('a provider can be overridden member by member', () => {
  const { providers } = merged(base, 'providers: { acme: { base_url: "http://localhost:1234/v1" } }').data
  assert.deepEqual(
    [providers[0]?.baseUrl, providers[0]?.name, providers[0]?.credentialVariables],
    ['http://localhost:1234/v1', 'Acme', ['ACME_KEY']],
  )
})

test('aliases and benchmarks add up', () => {
  const model = only('models: { maker/model: { aliases: [fast], benchmarks: { agentic: 50 } } }')
  assert.deepEqual(model.aliases, ['maker/old-name', 'fast'])
  assert.deepEqual(model.benchmarks, { coding: 40, agentic: 50 })
})

test('a dated name is stable, although a later source corrects the day', () => {
  const model = only('models: { maker/model: { created: 2026-02-15, canonical_slug: maker/model-new } }')
  assert.equal(model.canonicalSlug, 'maker/model-2026-01-31')
  assert.equal(model.created, Date.parse('2026-02-15') / 1000)
})

test('remove deletes an endpoint, a model, or a provider with all its endpoints', () => {
  const endpointsAfter = (file: string) =>
    merged(base, file).data.models.flatMap((model) => model.endpoints.map(({ id }) => id))
  assert.deepEqual(endpointsAfter('models: { maker/model: { endpoints: { acme: { remove: true } } } }'), [
    'maker/model@other',
  ])
  assert.deepEqual(endpointsAfter('models: { maker/model: { remove: true } }'), [])
  assert.deepEqual(endpointsAfter('providers: { other: { remove: true } }'), ['maker/model@acme'])
  assert.deepEqual(merged(base, 'providers: { other: { remove: true } }').skipped, [])
})

test('a removed endpoint is restored when a later source has it', () => {
  const early = 'models: { maker/model: { endpoints: { acme: { remove: true, quantization: fp8 } } } }'
  const endpoint = merged(early, base).data.models[0]!.endpoints.find(({ id }) => id === 'maker/model@acme')
  assert.ok(endpoint)
  assert.notEqual(endpoint.quantization, 'fp8')
})

test('a partial row that no earlier source completes is skipped with the reason', () => {
  const { data, skipped } = merged(base, 'models:\n  maker/modle:\n    context_length: 5\n')
  assert.equal(data.models.length, 1)
  assert.deepEqual(skipped, [
    {
      source: 'file 2',
      line: 2,
      row: 'maker/modle',
      reason: 'no earlier source contains this model, and here it lacks name, created',
    },
  ])
})

test('a row with an empty name or a context of 0 tokens is skipped with the reason', () => {
  const layer = readCatalogueFile(base, 'file 1')
  const model = { ...layer.models.get('maker/model')!, name: '', contextLength: 0 }
  const { skipped } = mergeLayers([{ ...layer, models: new Map([['maker/model', model]]) }])
  assert.equal(skipped[0]?.reason, 'no earlier source contains this model, and here it lacks name, context_length')
})

test('an endpoint of an unknown provider or without a price is skipped', () => {
  const file =
    'models: { maker/model: { endpoints: { nobody: { model: m, prices: { prompt: 1, completion: 1 } }, acme/eu: { model: m } } } }'
  const reasons = merged(base, file).skipped.map(({ row, reason }) => `${row}: ${reason}`)
  assert.deepEqual(reasons, [
    'maker/model@nobody: unknown provider "nobody"',
    'maker/model@acme/eu: it lacks prices.prompt, prices.completion: set its prices here or at its provider, 0 if it is free',
  ])
})

test('two models cannot have one dated name', () => {
  const file = `models:
  maker/second:
    { name: S, created: 2026-01-01, context_length: 1, canonical_slug: maker/model-2026-01-31, endpoints: { acme: { model: s, prices: { prompt: 0, completion: 0 } } } }`
  assert.match(merged(base, file).skipped[0]?.reason ?? '', /maker\/model-2026-01-31 is already that of maker\/model/)
})

test('merging leaves the layers as they were, so that they can be merged again', () => {
  const layers = [base, 'models: { maker/model: { endpoints: { acme: { prices: { prompt: 9 } } } } }'].map((text) =>
    readCatalogueFile(text, 'x'),
  )
  const first = mergeLayers(layers)
  assert.deepEqual(mergeLayers(layers), first)
  assert.equal(mergeLayers(layers.slice(0, 1)).data.models[0]!.endpoints[0]!.prices.prompt, '0.000001')
})
