import assert from 'node:assert/strict'
import { test } from 'node:test'
import { count, countText, percent } from './count.ts'

test('count shortens large numbers', () => {
  const texts = [0, 640, 999, 1000, 1249, 22_400, 99_960, 1_000_000, 3_140_000, 2e9].map(count)
  assert.deepEqual(texts, ['0', '640', '999', '1k', '1.2k', '22.4k', '100k', '1M', '3.1M', '2G'])
})

test('percent formats a share', () => {
  assert.deepEqual([0, 0.0031, 0.02, 0.4213, 0.5, 1].map(percent), ['0 %', '0.31 %', '2 %', '42.1 %', '50 %', '100 %'])
})

test('countText uses the singular for one', () => {
  assert.deepEqual([countText(1, 'request'), countText(12_408, 'request')], ['1 request', '12,408 requests'])
})
