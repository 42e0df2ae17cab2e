import assert from 'node:assert/strict'
import { test } from 'node:test'
import { estimateScanMs } from './scan-cost.ts'

test('names of fields cost as much as other texts of their length', () => {
  const rules = [{ matcher: { builtin: 'email' as const } }]
  const long = 'x'.repeat(1_000_000)
  const named = estimateScanMs(rules, { parameters: { [long]: 1 } }, 1e9)
  assert.ok(named >= 0.9 * estimateScanMs(rules, { content: long }, 1e9))
})

test('each value in arguments costs as much as a separate text', () => {
  const rules = [{ matcher: { builtin: 'email' as const } }]
  const numbers = Array.from({ length: 10_000 }, (_, i) => i)
  const separate = estimateScanMs(rules, { content: numbers.map(String) }, 1e9)
  assert.ok(estimateScanMs(rules, { arguments: JSON.stringify(numbers) }, 1e9) >= separate)
  assert.ok(estimateScanMs(rules, { input: numbers }, 1e9) >= separate / 2)
  assert.ok(estimateScanMs(rules, { content: `"\\u0061",`.repeat(10_000) }, 1e9) >= separate)
})
