import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findUnpricedUnits } from './missing-prices.ts'

const prices = { prompt: '0.000003', completion: '0.000015' }
const parts = { cacheWritten1h: 5, audioPrompt: 1, audioCompletion: 2, imageCompletion: 3 }
const tokens = { prompt: 10, completion: 5, cached: 0, cacheWritten: 5, reasoning: 0 }

test('kinds without a price are named as in a catalogue file', () => {
  const names = ['cache_write_1h', 'audio_prompt', 'audio_completion', 'image_completion']
  assert.deepEqual(findUnpricedUnits(prices, { ...tokens, parts }, undefined), names)
  assert.deepEqual(findUnpricedUnits({ ...prices, cacheWrite1h: '1' }, { ...tokens, parts }, undefined), names.slice(1))
  assert.deepEqual(findUnpricedUnits({ prompt: '0', completion: '0' }, { ...tokens, parts }, undefined), [])
})

test('pieces without a price are named as image or tool', () => {
  const pieces = { image: 1, web_search: 2, file_search: 0 }
  assert.deepEqual(findUnpricedUnits(prices, tokens, { pieces }), ['image', 'tools.web_search'])
})
