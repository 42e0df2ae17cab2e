import assert from 'node:assert/strict'
import { test } from 'node:test'
import { JsonLines, splitByLine } from './json-lines.ts'

test('a line that never ends is an error, and ended lines of any number are not', () => {
  const lines = new JsonLines()
  const piece = Buffer.alloc(1024 * 1024, 'x')
  for (let number = 0; number < 40; number++) lines.push(Buffer.concat([piece, Buffer.from('\n')]))
  assert.throws(() => {
    for (let number = 0; number < 40; number++) lines.push(piece)
  }, /a line is over 33554432 bytes/)
})

test('the time to split an event grows with its length, also for blank lines', () => {
  const data = `{}${'\n'.repeat(1_000_000)}`
  // With a search of quadratic time this takes hours.
  assert.equal(splitByLine({ event: '', data, raw: Buffer.alloc(0) } as never).length, 1)
  const ended = { event: '', data: '{"a":1}\n[DONE]', raw: Buffer.alloc(0) } as never
  assert.deepEqual(
    splitByLine(ended).map((event) => event.data),
    ['{"a":1}', '[DONE]'],
  )
})
