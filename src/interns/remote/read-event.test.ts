import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TurnEvent } from '../contract/turn-event.ts'
import { readEvent } from './read-event.ts'

const report = { model: null, usage: null }

test('each end of a turn is read unchanged', () => {
  const ends: TurnEvent[] = [
    { type: 'turn.finished', ...report },
    { type: 'turn.failed', reason: 'busy', message: 'm', retryable: true, ...report },
    { type: 'run.ended', message: 'm', ...report },
  ]
  for (const end of ends) assert.deepEqual(readEvent(JSON.stringify(end)), end)
})

test('an id with a control character is refused', () => {
  const started = { type: 'turn.started', runId: 'r', sessionId: 's', model: null }
  const question = { id: 'q', kind: 'elicitation', message: 'm', fields: [] }
  const wrong = [
    { ...started, runId: 'r\0' },
    { ...started, sessionId: 's\n' },
    { type: 'question.asked', deadlineAt: 1, question: { ...question, id: 'q\u001b[2J' } },
  ]
  for (const event of wrong) assert.throws(() => readEvent(JSON.stringify(event)), /has control characters/)
})
