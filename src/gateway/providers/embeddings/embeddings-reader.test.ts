import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EmbeddingsReader } from './embeddings-reader.ts'
import type { VectorFormat } from './vector-json.ts'

const layout = { list: 'data', vector: 'embedding', index: 'index', readEnvelope: () => [] }

/** The vectors of a response with these items, as JSON. */
function vectorsOf(items: string[], inputs = items.length, format: VectorFormat = 'float'): string[] {
  const reader = new EmbeddingsReader(layout, inputs, format)
  for (const byte of Buffer.from(`{"data":[${items.join(',')}]}`)) reader.push(Buffer.from([byte]))
  const [event] = reader.end()
  assert.ok(event?.type === 'items')
  return event.items.map(String)
}

const base64 = (...numbers: number[]) => Buffer.from(Float32Array.from(numbers).buffer).toString('base64')

test('a vector in the requested format keeps its text, and another one is converted', () => {
  assert.deepEqual(vectorsOf(['{"embedding":[ 1.50,-2e-3 ]}']), ['[ 1.50,-2e-3 ]'])
  assert.deepEqual(vectorsOf(['{"tags":[],"embedding":[1.50]}']), ['[1.5]'])
  assert.deepEqual(vectorsOf([`{"embedding":"${base64(0.1, -1)}"}`], 1, 'base64'), [`"${base64(0.1, -1)}"`])
  assert.deepEqual(vectorsOf(['{"embedding":[0.1,-1]}'], 1, 'base64'), [`"${base64(0.1, -1)}"`])
  const [floats] = vectorsOf([`{"embedding":"${base64(0.1, -1)}"}`])
  assert.equal(base64(...JSON.parse(floats!)), base64(0.1, -1))
})

test('vectors follow the inputs, by their index or their order', () => {
  assert.deepEqual(vectorsOf(['{"index":1,"embedding":[1]}', '{"index":0,"embedding":[2]}']), ['[2]', '[1]'])
  assert.deepEqual(vectorsOf(['{"embedding":[1]}', '{"index":null,"embedding":[2]}']), ['[1]', '[2]'])
})

test('a response that does not have one vector for each input is refused', () => {
  const refused = (items: string[], inputs: number, message: RegExp) =>
    assert.throws(() => vectorsOf(items, inputs), message, items.join())
  refused(['{"embedding":[1]}'], 2, /1 embeddings for 2 inputs/)
  refused(['{"embedding":[1]}', '{"embedding":[1]}'], 1, /does not exist/)
  for (const index of ['2', '-1', '0.5', '"0"', '"length"'])
    refused([`{"index":${index},"embedding":[1]}`], 1, /not exist/)
  for (const vector of ['[]', '[null]', '["1"]', '[[1]]', '{}', 'null', '1'])
    refused([`{"embedding":${vector}}`], 1, /neither a list of numbers nor base64/)
  for (const text of ['', 'AAA', '!!']) refused([`{"embedding":"${text}"}`], 1, /not base64 of 32-bit floats/)
})
