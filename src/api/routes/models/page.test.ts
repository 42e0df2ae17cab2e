import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { json } from 'node:stream/consumers'
import { test } from 'node:test'
import { startWithModels } from '#test/harness/records/model-catalogue.ts'

const models = Object.fromEntries(['one', 'three', 'two'].map((slug) => [`a/${slug}`, {}]))

test('without offset and limit the list is complete and has no next page', async () => {
  await using service = await startWithModels(models)
  const { body } = await service.ask('GET', '/models?q=a')
  assert.deepEqual([body.data.length, body.total_count, body.links], [3, 3, { next: null }])
})

test('following links.next lists every model once, with all other parameters', async () => {
  await using service = await startWithModels(models)
  const seen: string[] = []
  let next: string | null = '/api/v1/models?limit=1&q=a%2F&sort=context-high-to-low&other=x'
  while (next) {
    const { body } = await service.ask('GET', next.replace('/api/v1', ''))
    assert.equal(body.total_count, 3)
    seen.push(...body.data.map((model: { id: string }) => model.id))
    next = body.links.next
    if (next) assert.match(next, /^\/api\/v1\/models\?limit=1&q=a%2F&sort=context-high-to-low&other=x&offset=\d$/)
  }
  assert.deepEqual(seen, ['a/one', 'a/three', 'a/two'])
})

test('links.next is a path with all other parameters, independent of the Host header', async () => {
  await using service = await startWithModels(models)
  const { body } = await service.ask('GET', '/models?x=1?&limit=1&q=a')
  assert.equal(body.links.next, '/api/v1/models?x=1%3F&limit=1&q=a&offset=1')
  const { hostname, port } = new URL(service.url)
  const headers = { authorization: `Bearer ${service.apiKey}` }
  const clientRequest = request({
    hostname,
    port,
    headers,
    path: `http://${hostname}:${port}/api/v1/models?limit=1`,
  }).end()
  const [response] = await once(clientRequest, 'response')
  assert.equal(((await json(response)) as typeof body).links.next, '/api/v1/models?limit=1&offset=1')
})

test('the last page has no next one, also when it is full or beyond the end', async () => {
  await using service = await startWithModels(models)
  for (const [page, shown] of [
    ['limit=3', 3],
    ['offset=2&limit=1', 1],
    ['offset=1', 2],
    ['offset=9', 0],
  ] as const) {
    const { body } = await service.ask('GET', `/models?${page}`)
    assert.deepEqual([body.data.length, body.links.next, body.total_count], [shown, null, 3], page)
  }
})

test('the cursors of Anthropic’s clients select a part of the list and are described', async () => {
  await using service = await startWithModels(models)
  const list = async (query: string) => {
    const headers = { 'anthropic-version': '2023-06-01' }
    const { body } = await service.ask('GET', `/models?q=a%2F&${query}`, { headers })
    return [body.data.map(({ id }: { id: string }) => id), body.has_more]
  }
  assert.deepEqual(await list('limit=1&after_id=a/one'), [['a/three'], true])
  assert.deepEqual(await list('limit=1&before_id=a/two'), [['a/three'], true])
  assert.deepEqual(await list('after_id=a/one&before_id=a/two'), [['a/three'], false])
  const { parameters } = (await service.ask('GET', '/openapi.json')).body.paths['/models'].get
  const names = parameters.map(({ name }: { name: string }) => name)
  assert.deepEqual(
    ['after_id', 'before_id'].filter((name) => !names.includes(name)),
    [],
  )
})
