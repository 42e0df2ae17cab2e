import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isFiltered, modelQuery } from './model-query.ts'

test('what the address has that the API does not know is not asked for', () => {
  assert.deepEqual(modelQuery({ q: 'gpt', view: 'plots', mine: 'true', max_price: '' }), { q: 'gpt' })
})

test('an order is no filter, what one may use is', () => {
  const told = [isFiltered({ sort: 'newest' }), isFiltered({ mine: 'true' }), isFiltered({ zdr: 'true' })]
  assert.deepEqual(told, [false, true, true])
})
