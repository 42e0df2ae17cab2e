import assert from 'node:assert/strict'
import { test } from 'node:test'
import { idsOf, startWithModels } from '#test/harness/records/model-catalogue.ts'

/** In default order: newest first, then by id. */
const models = {
  'a/new': {
    name: 'Alpha New',
    created: '2026-11-20',
    context_length: 4000,
    family: 'Alpha',
    input_modalities: ['text', 'image'],
    categories: ['programming', 'marketing/seo'],
    distillable: true,
    benchmarks: { intelligence: 57.3, coding: 10, agentic: 5, design_arena_elo: 1200 },
    endpoints: { north: { prices: { prompt: 3, completion: 15 }, supported_parameters: ['tools', 'temperature'] } },
  },
  'a/same-day': {
    name: 'Same',
    created: '2026-10-22',
    context_length: 1000,
    tokenizer: 'GPT',
    distillable: false,
    benchmarks: { intelligence: 40, coding: 20 },
    endpoints: {
      north: { prices: { prompt: 5, completion: 5 }, data_policy: { zdr: true } },
      south: { prices: { prompt: 0.5, completion: 40 }, regions: ['europe'], supported_parameters: ['tools'] },
    },
  },
  'b/same-day': {
    created: '2026-10-22',
    context_length: 2000,
    endpoints: { south: { prices: { prompt: 0, completion: 0 } } },
  },
  'b/voice': { created: '2026-01-01', output_modalities: ['audio'] },
  'c/old:free': { name: 'Größe', created: '2025-01-01', context_length: 1001, benchmarks: { agentic: 9 } },
}
const [fresh, same, other, voice, old] = ['a/new', 'a/same-day', 'b/same-day', 'b/voice', 'c/old:free']
const now = () => Date.UTC(2026, 10, 21, 6)

const lists: [query: string, ids: (string | undefined)[]][] = [
  ['', [fresh, same, other, old]],
  ['output_modalities=all', [fresh, same, other, voice, old]],
  ['output_modalities=audio', [voice]],
  ['output_modalities=audio,text', [fresh, same, other, voice, old]],
  ['output_modalities=image', []],
  ['input_modalities=image', [fresh]],
  ['input_modalities=text&input_modalities=image', [fresh]],
  ['category=marketing/seo', [fresh]],
  ['category=legal', []],
  ['supported_parameters=tools', [fresh, same]],
  ['supported_parameters=tools,temperature', [fresh, same]],
  ['supported_parameters=unheard-of', []],
  ['q=alpha', [fresh]],
  ['q=SAME', [same, other]],
  ['q=same%20b/', [other]],
  ['q=gr%C3%B6%C3%9Fe', [old]],
  ['q=', [fresh, same, other, old]],
  ['context=1000', [fresh, same, other, old]],
  ['context=1001', [fresh, other, old]],
  ['context=1001&context=1001', [fresh, other, old]],
  ['min_price=3', [fresh, same]],
  ['min_price=3.0000000001', [same]],
  ['max_price=0', [other]],
  ['min_price=null&max_price=0.5', [same, other]],
  ['min_price=3e0&max_price=3', [fresh]],
  ['min_output_price=40', [same]],
  ['max_output_price=2', [other, old]],
  ['arch=ALPHA', [fresh]],
  ['arch=gpt', [same]],
  ['model_authors=a,c', [fresh, same, old]],
  ['model_authors=a&model_authors=c', [fresh, same, old]],
  ['providers=south', [same, other]],
  ['providers=North%20Cloud', [fresh, same, old]],
  ['providers=nobody', []],
  ['distillable=true', [fresh]],
  ['distillable=false', [same, other, old]],
  ['zdr=true', [same]],
  ['zdr=true&zdr=true&zdr=true', [same]],
  ['min_price=3&min_price=3', [fresh, same]],
  ['q=alpha&q=alpha', [fresh]],
  ['region=eu', [same]],
  ['max_age_days=1', [fresh]],
  ['max_age_days=0', []],
  ['min_age_days=30', [same, other, old]],
  ['min_age_days=31', [old]],
  ['min_intelligence_index=57.3', [fresh]],
  ['max_intelligence_index=57.3', [fresh, same]],
  ['min_coding_index=20', [same]],
  ['max_agentic_index=9', [fresh, old]],
  ['min_tool_success_rate=0', []],
  ['unheard_of=1', [fresh, same, other, old]],
  ['sort=newest', [fresh, same, other, old]],
  ['sort=pricing-low-to-high&sort=pricing-low-to-high', [other, old, same, fresh]],
  ['sort=most-popular', [fresh, same, other, old]],
  ['sort=top-weekly', [fresh, same, other, old]],
  ['sort=throughput-high-to-low', [fresh, same, other, old]],
  ['sort=latency-low-to-high', [fresh, same, other, old]],
  ['sort=pricing-low-to-high', [other, old, same, fresh]],
  ['sort=pricing-high-to-low', [fresh, same, old, other]],
  ['sort=context-high-to-low', [fresh, other, old, same]],
  ['sort=intelligence-high-to-low', [fresh, same, other, old]],
  ['sort=coding-high-to-low', [same, fresh, other, old]],
  ['sort=agentic-high-to-low', [old, fresh, same, other]],
  ['sort=design-arena-elo-high-to-low', [fresh, same, other, old]],
]

test('each parameter selects the matching models, including the bounds', async () => {
  await using service = await startWithModels(models, { now })
  for (const [query, ids] of lists) {
    assert.deepEqual(await idsOf(service, `/models?${query}`), ids, query)
    if (query.startsWith('sort')) continue
    const { body } = await service.ask('GET', `/models/count?${query}`)
    assert.deepEqual(body, { data: { count: ids.length } }, query)
  }
})

test('price, region, provider and data retention must be met by one single endpoint', async () => {
  await using service = await startWithModels(models, { now })
  assert.deepEqual(await idsOf(service, '/models?zdr=true&providers=north&min_price=5'), [same])
  for (const query of [
    'zdr=true&region=eu',
    'zdr=true&max_price=1',
    'region=eu&providers=north',
    'max_price=1&max_output_price=5&q=a/same',
  ]) {
    assert.deepEqual(await idsOf(service, `/models?${query}`), [], query)
  }
})

const refused: [query: string, names: string][] = [
  ['category=cooking', 'category'],
  ['category=legal,finance', 'category'],
  ['sort=best', 'sort'],
  ['sort=newest&sort=most-popular', 'sort'],
  ['context=1000&context=1001', 'context'],
  ['zdr=true&zdr=false', 'zdr'],
  ['q=same&q=alpha', 'q'],
  ['output_modalities=smell', 'output_modalities'],
  ['output_modalities=text,', 'output_modalities'],
  ['input_modalities=video', 'input_modalities'],
  ['input_modalities=', 'input_modalities'],
  ['supported_parameters=tools,,stop', 'supported_parameters'],
  ['model_authors=,a', 'model_authors'],
  ['providers=a&providers=', 'providers'],
  ['arch=', 'arch'],
  ['context=0', 'context'],
  ['context=1.5', 'context'],
  ['context=null', 'context'],
  ['min_price=-1', 'min_price'],
  ['max_price=cheap', 'max_price'],
  ['min_output_price=', 'min_output_price'],
  ['max_output_price=1e999999', 'max_output_price'],
  ['distillable=maybe', 'distillable'],
  ['zdr=false', 'zdr'],
  ['region=us', 'region'],
  ['min_age_days=-1', 'min_age_days'],
  ['max_age_days=1.5', 'max_age_days'],
  ['min_intelligence_index=NaN', 'min_intelligence_index'],
  ['max_coding_index=-0.1', 'max_coding_index'],
  ['min_tool_success_rate=1.01', 'min_tool_success_rate'],
  ['max_tool_success_rate=-1', 'max_tool_success_rate'],
  ['offset=-1', 'offset'],
  ['limit=0', 'limit'],
  ['limit=1001', 'limit'],
  ['use_rss=perhaps', 'use_rss'],
]

test('a value that cannot be is refused, naming the parameter', async () => {
  await using service = await startWithModels(models)
  for (const [query, name] of refused) {
    const { status, body } = await service.ask('GET', `/models?${query}`)
    assert.equal(status, 400, query)
    assert.match(body.error.message, new RegExp(`^Invalid request: ${name}: `), query)
  }
})

test('GET /models: a parameter with two different values is refused', async () => {
  await using service = await startWithModels(models)
  const { body } = await service.ask('GET', '/models?sort=newest&sort=most-popular')
  assert.match(body.error.message, /sort: is repeated with different values; give it once$/)
})

test('every key can list models, and a request without a key cannot', async () => {
  await using service = await startWithModels(models)
  for (const path of ['/models', '/models?q=a', '/models/user', '/models/count', '/providers', '/endpoints/zdr']) {
    assert.equal((await service.manage('GET', path)).status, 200, path)
    assert.equal((await service.ask('GET', path, { key: null })).status, 401, path)
  }
  assert.deepEqual(await idsOf(service, '/models/user?model_authors=c'), [old])
})
