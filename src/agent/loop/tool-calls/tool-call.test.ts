import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addHints } from '../../tools/commands/shell-hints.ts'
import { parseInput } from './tool-call.ts'

const read = (text: string) => parseInput({ id: 'a', name: 'shell', arguments: text })

test('a line break in a string is accepted; an unterminated string is refused', () => {
  assert.deepEqual(read('{"a": "x\ny"}'), { a: 'x\ny' })
  assert.equal(read('{"a": "x\ny'), undefined)
})

test('an endless tool call of a model is parsed in little time', () => {
  const startedAt = performance.now()
  assert.equal(read(`{"a": ${'\\"'.repeat(300_000)}`), undefined)
  for (const part of ['((', '<<a ', '\'"', '<<a\n  ']) assert.equal(addHints(part.repeat(50_000), 'done'), 'done', part)
  assert.ok(performance.now() - startedAt < 60_000)
})
