import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endpointStatus } from './endpoint-status.ts'

const figures = (uptime5m: number | null, uptime30m: number | null) => ({
  latencyMs: null,
  throughput: null,
  fastest: null,
  uptime5m,
  uptime30m,
  uptime1d: null,
})
const free = { credentialVariables: [] }

test('the last 5 minutes decide, or the last 30 without requests', () => {
  const status = (recent: number | null, lately: number | null) =>
    endpointStatus(free, figures(recent, lately), () => false)
  assert.deepEqual([status(null, null), status(100, 0), status(95, null)], ['healthy', 'healthy', 'healthy'])
  assert.deepEqual([status(94.9, 100), status(50, 100), status(null, 60)], ['degraded', 'degraded', 'degraded'])
  assert.deepEqual([status(49.9, 100), status(null, 0)], ['down', 'down'])
})

test('one of the alternative variables is a sufficient credential', () => {
  const provider = { credentialVariables: ['FIRST', 'SECOND'] }
  assert.equal(
    endpointStatus(provider, figures(0, 0), () => false),
    'unconfigured',
  )
  assert.equal(
    endpointStatus(provider, figures(100, 100), (variable) => variable === 'SECOND'),
    'healthy',
  )
})
