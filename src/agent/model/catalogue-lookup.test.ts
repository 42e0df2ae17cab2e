import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { startWithModels } from '#test/harness/records/model-catalogue.ts'
import { createCatalogueLookup } from './catalogue-lookup.ts'

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
  const { findContextWindow, checkImageInput } = createCatalogueLookup({
    baseUrl,
    apiKey: service.apiKey,
    maxTokens: most,
    now: () => at,
  })
  return Object.assign(service, {
    window: (model: string) => findContextWindow(model, signal),
    images: (model: string) => checkImageInput(model, signal),
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

/** A catalogue with one model, which has a window of 5000 tokens and accepts images. It answers with the current status. */
async function startCatalogue() {
  const catalogue = { status: 200, requestCount: 0 }
  const data = { context_length: 5_000, architecture: { input_modalities: ['text', 'image'] } }
  const server = createServer((_request, response) => {
    catalogue.requestCount++
    response.writeHead(catalogue.status, { 'content-type': 'application/json' }).end(JSON.stringify({ data }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  let at = 0
  const lookUp = createCatalogueLookup({
    baseUrl: () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    apiKey: undefined,
    maxTokens: undefined,
    now: () => at,
  })
  return Object.assign(catalogue, lookUp, {
    later: (ms: number) => (at += ms),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  })
}

test('a catalogue that answers with an error changes neither window nor images', async () => {
  await using at = await startCatalogue()
  const both = async () => [
    await at.findContextWindow('acme/eyes', signal),
    await at.checkImageInput('acme/eyes', signal),
  ]
  assert.deepEqual(await both(), [5_000, true])
  for (const status of [429, 503]) {
    at.later(600_001)
    at.status = status
    assert.deepEqual(await both(), [5_000, true])
  }
  assert.equal(at.requestCount, 3)
})

test('an aborted look-up is repeated by the next one', async () => {
  await using at = await startCatalogue()
  assert.equal(await at.findContextWindow('acme/eyes', AbortSignal.abort()), 128_000)
  assert.equal(await at.findContextWindow('acme/eyes', signal), 5_000)
})
