import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLineWriter } from './log-lines.ts'

test('partial lines are joined, and the rest at the end is one line', () => {
  const written: string[] = []
  const take = createLineWriter((lines) => written.push(lines))
  for (const piece of ['{"a":', '1}\n{"b":2}\n{"c"', ':3', '}\n', 'half']) take(piece)
  assert.deepEqual(written, ['{"a":1}\n{"b":2}\n', '{"c":3}\n'])
  take()
  take()
  assert.deepEqual(written.slice(2), ['half\n'])
})
