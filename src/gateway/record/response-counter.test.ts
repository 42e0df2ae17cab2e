import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ResponseCounter } from './response-counter.ts'

test('the text of a refusal counts, except that of the provider', () => {
  for (const [event, bytes] of [
    [{ type: 'refusal', text: 'No.' }, 3],
    [{ type: 'refusal', text: 'No.', isFree: true }, 0],
  ] as const) {
    const counter = new ResponseCounter(() => 0)
    counter.count([event])
    assert.equal(counter.result().bytes, bytes)
  }
})
