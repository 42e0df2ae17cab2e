import assert from 'node:assert/strict'
import { test } from 'node:test'
import { estimateScanMs } from './scan-cost.ts'

test('names of fields cost as much as other texts of their length', () => {
  const rules = [{ matcher: { builtin: 'email' as const } }]
  const long = 'x'.repeat(1_000_000)
  const named = estimateScanMs(rules, { parameters: { [long]: 1 } }, 1e9)
  assert.ok(named >= 0.9 * estimateScanMs(rules, { content: long }, 1e9))
})
