import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brotliDecompressSync } from 'node:zlib'
import { HttpResponse } from '../route.ts'
import { compressResponse } from './compressed-response.ts'

const list = { data: Array.from({ length: 500 }, (_, id) => ({ id, name: 'row' })) }

test('a long response is compressed as the client accepts it', async () => {
  const response = await compressResponse('gzip, br', list)
  assert.equal(response?.headers['content-encoding'], 'br')
  const body = response?.body as Buffer
  assert.ok(body.length < JSON.stringify(list).length / 5)
  assert.deepEqual(JSON.parse(brotliDecompressSync(body).toString()), list)
})

test('short responses and clients without an encoding get the plain response', async () => {
  assert.equal(await compressResponse('br', { csrf_token: 'x'.repeat(100) }), undefined)
  assert.equal(await compressResponse(undefined, list), undefined)
  assert.equal(await compressResponse('br', new HttpResponse(200, {}, Buffer.alloc(9000))), undefined)
})
