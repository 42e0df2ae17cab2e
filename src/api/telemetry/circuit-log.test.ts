import assert from 'node:assert/strict'
import { test } from 'node:test'
import pino from 'pino'
import { createCircuitLogger } from './circuit-log.ts'

test('the log reports when an endpoint is paused, the reason, and when it resumes', () => {
  const lines: string[] = []
  const logCircuit = createCircuitLogger(
    pino({ base: null, timestamp: false }, { write: (line: string) => void lines.push(line) }),
  )
  logCircuit('a/m@north', { state: 'paused', reason: 'retry_after', until: 0 })
  logCircuit('a/m@north', { state: 'half_open' })
  logCircuit('a/m@north', { state: 'closed' })
  assert.deepEqual(
    lines.map((line) => JSON.parse(line)),
    [
      {
        level: 40,
        endpoint: 'a/m@north',
        reason: 'retry_after',
        until: '1970-01-01T00:00:00.000Z',
        msg: 'circuit opened',
      },
      { level: 30, endpoint: 'a/m@north', msg: 'circuit closed' },
    ],
  )
})
