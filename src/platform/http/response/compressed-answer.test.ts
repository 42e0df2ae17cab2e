import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brotliDecompressSync } from 'node:zlib'
import { HttpAnswer } from '../route.ts'
import { compressAnswer } from './compressed-answer.ts'

const list = { data: Array.from({ length: 500 }, (_, id) => ({ id, name: 'row' })) }

test('a long answer is compressed as the client accepts it', async () => {
  const answer = await compressAnswer('gzip, br', list)
  assert.equal(answer?.headers['content-encoding'], 'br')
  const body = answer?.body as Buffer
  assert.ok(body.length < JSON.stringify(list).length / 5)
  assert.deepEqual(JSON.parse(brotliDecompressSync(body).toString()), list)
})

test('short answers and clients without an encoding get the plain answer', async () => {
  assert.equal(await compressAnswer('br', { csrf_token: 'x'.repeat(100) }), undefined)
  assert.equal(await compressAnswer(undefined, list), undefined)
  assert.equal(await compressAnswer('br', new HttpAnswer(200, {}, Buffer.alloc(9000))), undefined)
})
