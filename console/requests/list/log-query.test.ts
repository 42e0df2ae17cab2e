import assert from 'node:assert/strict'
import { test } from 'node:test'
import { logQuery } from './log-query.ts'

test('logQuery passes known filters and converts time ranges', () => {
  const query = logQuery({ last: '1h', model: 'm', theme: 'x', outcome: 'failed,refused' }, Date.UTC(2026, 0, 1, 12))
  assert.deepEqual(query, { model: 'm', outcome: 'failed,refused', from: '2026-01-01T11:00:00.000Z' })
  assert.deepEqual(logQuery({ last: 'constructor' }, 0), {})
})
