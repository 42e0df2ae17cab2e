import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countByRule, splitText } from './text-pieces.ts'

const finding = (start: number, end: number, action: 'block' | 'redact' | 'flag', rule: string) => ({
  start,
  end,
  action,
  rule,
})

test('splitText splits a text at the bounds of findings', () => {
  const findings = [finding(3, 8, 'flag', 'a'), finding(6, 10, 'block', 'b')]
  const pieces = splitText('to ada blue', findings)
  assert.deepEqual(
    pieces.map(({ text, findings: covering }) => [text, covering.map(({ rule }) => rule).join()]),
    [
      ['to ', ''],
      ['ada', 'a'],
      [' b', 'b,a'],
      ['lu', 'b'],
      ['e', ''],
    ],
  )
  assert.deepEqual(splitText('x', []), [{ text: 'x', findings: [] }])
})

test('countByRule counts the findings of each rule', () => {
  const findings = [finding(0, 1, 'flag', 'a'), finding(1, 2, 'block', 'b'), finding(2, 3, 'flag', 'a')]
  assert.deepEqual(countByRule(findings), [
    { rule: 'a', action: 'flag', count: 2 },
    { rule: 'b', action: 'block', count: 1 },
  ])
})
