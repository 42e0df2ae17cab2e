import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chargedPrices } from './charged-prices.ts'

test('prices of unused units are omitted', () => {
  const tokens = { prompt: 10, completion: 1, cached: 0, cacheWritten: 0, reasoning: 0 }
  assert.deepEqual(chargedPrices({ prompt: '0.000001', completion: '0.000002' }, { tokens, extras: undefined }), {
    prompt: 0.000001,
    completion: 0.000002,
  })
})
