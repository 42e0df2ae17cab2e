import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wholeLines } from './log-lines.ts'

test('lines that come in pieces are passed on whole; at the end what is left is one', () => {
  const written: string[] = []
  const take = wholeLines((lines) => written.push(lines))
  for (const piece of ['{"a":', '1}\n{"b":2}\n{"c"', ':3', '}\n', 'half']) take(piece)
  assert.deepEqual(written, ['{"a":1}\n{"b":2}\n', '{"c":3}\n'])
  take()
  take()
  assert.deepEqual(written.slice(2), ['half\n'])
})
