import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { request } from 'undici'
import { startWithModels } from '#test/harness/records/model-catalogue.ts'
import type { TestService } from '#test/harness/service/service.ts'

const models = Object.fromEntries([...Array(9).keys()].map((n) => [`a/m${n}`, { description: 'Long '.repeat(50) }]))
const paths = ['/models', '/models?q=a']

/** Returns the body without decoding it. */
async function fetchRaw(service: TestService, path: string, headers: Record<string, string> = {}) {
  const authorization = `Bearer ${service.apiKey}`
  const response = await request(service.url + path, { headers: { authorization, ...headers } })
  const bytes = Buffer.from(await response.body.arrayBuffer())
  return { status: response.statusCode, headers: response.headers, bytes }
}

test('a list has an ETag, and a request with it gets 304 without a body', async () => {
  await using service = await startWithModels(models)
  for (const path of paths) {
    const { headers } = await fetchRaw(service, path)
    const tag = String(headers.etag)
    assert.equal(headers['cache-control'], 'private, no-cache')
    for (const validator of [tag, tag.replace('W/', ''), `"other", ${tag}`, '*']) {
      const revalidated = await fetchRaw(service, path, { 'if-none-match': validator })
      assert.deepEqual(
        [revalidated.status, revalidated.bytes.length, revalidated.headers.etag],
        [304, 0, tag],
        validator,
      )
    }
    assert.equal((await fetchRaw(service, path, { 'if-none-match': 'W/"other"' })).status, 200)
  }
})

test('lists that differ have different tags', async () => {
  await using service = await startWithModels(models)
  const queries = [
    '',
    '?q=m1',
    '?limit=3',
    '?limit=3&offset=3',
    '?limit=3&z=1',
    '?limit=9',
    '?sort=newest&limit=8',
    '?use_rss=true',
  ]
  const tags = await Promise.all(
    queries.map(async (query) => (await fetchRaw(service, `/models${query}`)).headers.etag),
  )
  assert.equal(new Set(tags).size, queries.length - 1, 'a page with everything says the same as the whole list')
})

test('a list is compressed as the client likes, at the first time and at every other', async () => {
  await using service = await startWithModels(models)
  const decode = { br: brotliDecompressSync, gzip: gunzipSync, zstd: zstdDecompressSync }
  for (const path of [...paths, ...paths]) {
    const plain = await fetchRaw(service, path)
    assert.deepEqual([plain.headers['content-encoding'], plain.headers.vary], [undefined, 'accept-encoding'])
    for (const [encoding, decompress] of Object.entries(decode)) {
      const { headers, bytes } = await fetchRaw(service, path, { 'accept-encoding': `${encoding}, deflate` })
      assert.deepEqual([headers['content-encoding'], headers.etag], [encoding, plain.headers.etag])
      assert.deepEqual(decompress(bytes), plain.bytes)
    }
  }
})

test('the cached whole list equals the computed list, and has the same access check', async () => {
  await using service = await startWithModels(models)
  const result = { 'x-request-id': 'mine', 'accept-encoding': 'gzip' }
  const { headers: long, bytes } = await fetchRaw(service, '/models?', result)
  await fetchRaw(service, '/models', result)
  const short = await fetchRaw(service, '/models', result)
  assert.deepEqual({ ...short.headers, date: '' }, { ...long, date: '' })
  assert.deepEqual(short.bytes, bytes)
  for (const authorization of ['', 'Bearer nonsense', `Bearer sb-v1-${'0'.repeat(64)}`]) {
    assert.equal((await fetchRaw(service, '/models', { authorization })).status, 401)
  }
})
