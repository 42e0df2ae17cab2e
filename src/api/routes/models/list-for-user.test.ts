import assert from 'node:assert/strict'
import { test } from 'node:test'
import { idsOf, startWithModels } from '#test/harness/records/model-catalogue.ts'
import type { TestService } from '#test/harness/service/service.ts'

const models = {
  'a/both': { endpoints: { north: {}, south: { data_policy: { zdr: true } } } },
  'b/north': {},
  'c/south': { endpoints: { south: { data_policy: { zdr: true } } } },
}

async function restrict(service: TestService, patch: object) {
  const { body } = await service.manage('GET', '/workspaces')
  await service.manage('PATCH', `/guardrails/${body.data[0].default_guardrail_id}`, patch)
}

test('a key is shown the models that its guardrails allow, with and without parameters', async () => {
  await using service = await startWithModels(models)
  assert.deepEqual(await idsOf(service, '/models/user'), ['a/both', 'b/north', 'c/south'])
  await restrict(service, { ignored_models: ['c/south'] })
  assert.deepEqual(await idsOf(service, '/models/user'), ['a/both', 'b/north'])
  assert.deepEqual(await idsOf(service, '/models/user?q=south'), [])
  assert.deepEqual(await idsOf(service, '/models'), ['a/both', 'b/north', 'c/south'])
})

test('a model is shown while one of its endpoints is allowed', async () => {
  await using service = await startWithModels(models)
  await restrict(service, { enforce_zdr: true })
  assert.deepEqual(await idsOf(service, '/models/user'), ['a/both', 'c/south'])
  const { body } = await service.ask('GET', '/models/user?limit=1')
  assert.deepEqual([body.total_count, body.data[0].id], [2, 'a/both'])
})

test('a forbidden region lists no models, and GET /key returns the regions', async () => {
  await using service = await startWithModels(models, { settings: { regions: { localhost: 'europe' } } })
  const regions = async () => (await service.ask('GET', '/key')).body.data.allowed_data_regions
  assert.deepEqual(await regions(), ['global', 'europe', 'us'])
  await restrict(service, { allowed_data_regions: ['us', 'europe'] })
  assert.deepEqual(await idsOf(service, '/models/user'), [])
  assert.deepEqual(await regions(), ['europe', 'us'])
  const url = `${service.url.replace('127.0.0.1', 'localhost')}/models/user`
  const europe = await fetch(url, { headers: { authorization: `Bearer ${service.apiKey}` } })
  assert.equal(((await europe.json()) as { total_count: number }).total_count, 3)
})

test('a list that was narrowed since has another tag', async () => {
  await using service = await startWithModels(models)
  const { headers } = await service.ask('GET', '/models/user')
  const revalidate = () =>
    service.ask('GET', '/models/user', { headers: { 'if-none-match': headers.get('etag') ?? '' } })
  assert.equal((await revalidate()).status, 304)
  await restrict(service, { ignored_models: ['c/south'] })
  assert.equal((await revalidate()).status, 200)
})
