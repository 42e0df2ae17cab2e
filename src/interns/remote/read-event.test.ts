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
