import assert from 'node:assert/strict'
import { test } from 'node:test'
import { modelFilters } from './filters.ts'
import { forwardedParameters } from './model-query.ts'

test('every filter of GET /models has a control', () => {
  const controls = modelFilters({ authors: [], providers: [], parameters: [] }).map(({ name }) => name)
  // The search field is above the filters, and the order is not a filter.
  const missing = forwardedParameters.filter((name) => !['q', 'sort', ...controls].includes(name))
  assert.deepEqual(missing, [])
})
