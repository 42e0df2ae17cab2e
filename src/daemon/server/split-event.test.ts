import assert from 'node:assert/strict'
import { test } from 'node:test'
import { maxEventBytes, type TurnEvent } from '#interns/contract/turn-event.ts'
import { requireSmallQuestion } from '../runs/questions/pending-question.ts'
import { splitEvent } from './split-event.ts'

const joined = (events: TurnEvent[]) => events.map((event) => ('text' in event ? event.text : '')).join('')

test('a text longer than an event arrives in pieces of whole characters', () => {
  for (const text of [`x${'🚂'.repeat(100_000)}`, '\u0001'.repeat(500_000), 'short', '']) {
    const pieces = splitEvent({ type: 'text.added', text })
    assert.equal(joined(pieces), text)
    for (const piece of pieces) {
      assert.ok(Buffer.byteLength(JSON.stringify(piece)) < maxEventBytes)
      assert.ok(joined([piece]).isWellFormed())
    }
  }
})

test('a reason that is longer than anyone reads is cut', () => {
  const report = { model: null, usage: null }
  const [event] = splitEvent({ type: 'run.ended', message: 'x'.repeat(1_000_000), ...report })
  assert.equal(JSON.stringify(event).length < 11_000, true)
})

test('a question that exceeds the size limit is refused', () => {
  const question = { id: 'q', kind: 'permission' as const, operation: 'shell', options: [] }
  requireSmallQuestion({ ...question, detail: 'x'.repeat(200_000) })
  assert.throws(() => requireSmallQuestion({ ...question, detail: 'x'.repeat(300_000) }), /at most 262144 can be shown/)
})
