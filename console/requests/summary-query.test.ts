import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bucketValues, summaryQuery } from './summary-query.ts'

const noon = Date.UTC(2026, 0, 2, 12, 0, 30)

test('summaryQuery has the time range and filters of the log', () => {
  const query = summaryQuery({ last: '1h', model: 'm', outcome: 'failed,refused' }, noon)
  assert.deepEqual(query?.time_range, { start: '2026-01-02T11:01:00Z', end: '2026-01-02T12:01:00Z' })
  assert.deepEqual(query?.filters, [
    { field: 'model', operator: 'in', value: ['m'] },
    { field: 'outcome', operator: 'in', value: ['failed', 'refused'] },
  ])
  assert.equal(query?.granularity, 'minute')
  assert.equal(summaryQuery({}, noon)?.label, 'last 24 hours')
})

test('summaryQuery is undefined for unsupported filters', () => {
  for (const name of ['session_id', 'guardrail_id', 'streamed', 'min_cost', 'max_latency']) {
    assert.equal(summaryQuery({ [name]: '1' }, noon), undefined, name)
  }
})

test('summaryQuery is undefined for invalid times', () => {
  assert.equal(summaryQuery({ from: 'yesterday' }, noon), undefined)
  assert.equal(summaryQuery({ from: '2026-01-02T00:00:00Z', to: '2026-01-01T00:00:00Z' }, noon), undefined)
})

test('bucketValues fills empty buckets with 0', () => {
  const query = summaryQuery({ last: '15m' }, noon)!
  const values = bucketValues(
    [
      { date: '2026-01-02T11:46:00Z', n: 3 },
      { date: '2026-01-02T12:00:00Z', n: 2 },
    ],
    'n',
    query,
  )
  assert.deepEqual(values, [3, ...Array(13).fill(0), 2])
})
