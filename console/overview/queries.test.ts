import assert from 'node:assert/strict'
import { test } from 'node:test'
import { overviewQueries } from './queries.ts'

const now = Date.UTC(2026, 10, 22, 12, 34)

test('overviewQueries use range, breakdown and filters of the address', () => {
  const { groupsOverTime, total } = overviewQueries({ last: '24h', by: 'key', provider: 'openai', q: 'x' }, now)
  assert.deepEqual(groupsOverTime.dimensions, ['api_key_id'])
  assert.equal(groupsOverTime.granularity, 'hour')
  assert.deepEqual(total.filters, [{ field: 'provider', operator: 'eq', value: 'openai' }])
})

test('overviewQueries compare with the previous time range', () => {
  const { total, previous } = overviewQueries({ last: '7d' }, now)
  const length = ({ start, end }: { start: string; end: string }) => Date.parse(end) - Date.parse(start)
  assert.equal(previous.time_range.end, total.time_range.start)
  assert.equal(length(previous.time_range), length(total.time_range))
  assert.equal(total.time_range.end, '2026-11-22T13:00:00.000Z', 'the current hour is included')
})
