import assert from 'node:assert/strict'
import { test } from 'node:test'
import { daysOf, exploreQueries, groupingsOf, withCombination } from './explore-query.ts'

const now = Date.parse('2026-11-29T10:00:00Z')

test('any days can be chosen, both inclusive; the last 30 by default', () => {
  assert.deepEqual(daysOf({}, now), { from: '2026-10-31', to: '2026-11-29' })
  const queries = exploreQueries({ from: '2026-02-01', to: '2026-02-03' }, now)!
  assert.deepEqual(queries.table.time_range, { start: '2026-02-01T00:00:00.000Z', end: '2026-02-04T00:00:00.000Z' })
  assert.equal(exploreQueries({ from: '2026-02-03', to: '2026-02-01' }, now), undefined)
  assert.equal(daysOf({ from: 'yesterday' }, now).from, '2026-10-31')
})

test('a chart of a few recent days has hours, others have days', () => {
  const granularityOf = (from: string, to: string) => exploreQueries({ from, to }, now)!.chart.granularity
  assert.equal(granularityOf('2026-11-25', '2026-11-29'), 'hour')
  assert.equal(granularityOf('2026-11-01', '2026-11-29'), 'day')
  assert.equal(granularityOf('2025-11-01', '2025-11-02'), 'day')
})

test('two groupings are combined, and the same one twice counts once', () => {
  const dimensions = (by: string, then?: string) =>
    groupingsOf({ by, ...(then && { then }) }).map(({ dimension }) => dimension)
  assert.deepEqual(dimensions('member', 'model'), ['user', 'model'])
  assert.deepEqual(dimensions('model', 'model'), ['model'])
  const rows = withCombination([{ user: 'Ada', preset: null }], ['user', 'preset'])
  assert.equal(rows[0]?.combination, 'Ada · none')
})
