import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startWithModels } from '#test/harness/records/model-catalogue.ts'
import { createCatalogueWindow } from './window.ts'

const signal = new AbortController().signal

async function setUp(most?: number) {
  const service = await startWithModels({
    'acme/small': { context_length: 8_000 },
    'acme/eyes': { input_modalities: ['text', 'image'] },
  })
  let at = 0
  let requestCount = 0
  const baseUrl = () => {
    requestCount++
    return service.url
  }
  const { windowOf, hasImageInput } = createCatalogueWindow({
    baseUrl,
    apiKey: service.apiKey,
    maxTokens: most,
    now: () => at,
  })
  return Object.assign(service, {
    window: (model: string) => windowOf(model, signal),
    images: (model: string) => hasImageInput(model, signal),
    later: (ms: number) => (at += ms),
    requestCount: () => requestCount,
  })
}

test('the context window is that of the catalogue, also with a preset', async () => {
  await using at = await setUp()
  for (const name of ['acme/small', 'acme/small@preset/mine']) assert.equal(await at.window(name), 8_000)
})

test('a model sees images if the catalogue declares it', async () => {
  await using at = await setUp()
  assert.deepEqual(
    [await at.images('acme/eyes'), await at.images('acme/small'), await at.images('no/such')],
    [true, false, false],
  )
})

test('a model outside the catalogue gets the default window for a minute', async () => {
  await using at = await setUp()
  for (const model of ['no/such', '@preset/mine', 'gpt']) assert.equal(await at.window(model), 128_000)
  const before = at.requestCount()
  await at.window('no/such')
  assert.equal(at.requestCount(), before)
  at.later(60_001)
  await at.window('no/such')
  assert.equal(at.requestCount(), before + 1)
})

test('a window that an operator set is not passed over', async () => {
  await using at = await setUp(500)
  assert.deepEqual([await at.window('signalbox/demo'), await at.window('no/such')], [500, 500])
})
