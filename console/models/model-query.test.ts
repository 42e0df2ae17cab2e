import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isFiltered, modelQuery } from './model-query.ts'

test('modelQuery ignores unknown parameters', () => {
  assert.deepEqual(modelQuery({ q: 'gpt', view: 'plots', mine: 'true', max_price: '' }), { q: 'gpt' })
})

test('isFiltered ignores the order', () => {
  const results = [isFiltered({ sort: 'newest' }), isFiltered({ mine: 'true' }), isFiltered({ zdr: 'true' })]
  assert.deepEqual(results, [false, true, true])
})
