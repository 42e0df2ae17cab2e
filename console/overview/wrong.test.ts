import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Endpoint } from '../api/types.ts'
import { brokenEndpoints, endingKeys, failingEndpoints, openCircuits } from './wrong.ts'

const now = Date.UTC(2026, 10, 22, 12)

test('an endpoint that fails too often is told with its share and why; few failures are not', () => {
  const rows = [
    { endpoint: 'a/b@p', error: null, request_count: 8, error_count: 0, refused_count: 0 },
    { endpoint: 'a/b@p', error: 'rate_limited', request_count: 2, error_count: 2, refused_count: 0 },
    { endpoint: 'a/c@p', error: 'bad_gateway', request_count: 2, error_count: 2, refused_count: 0 },
    { endpoint: 'a/d@p', error: null, request_count: 100, error_count: 1, refused_count: 0 },
  ]
  assert.deepEqual(
    failingEndpoints(rows).map(({ what, why, path }) => [what, why, path]),
    [
      [
        'a/b@p fails',
        '2 of 10 in the last hour (20.0 %): rate limited',
        '/requests?last=1h&outcome=failed&model=a%2Fb',
      ],
    ],
  )
})

test('a provider without credential is told once, with all models that miss it', () => {
  const endpoint = (model_id: string, status: string) =>
    ({ model_id, status, tag: 'p', provider_name: 'P', uptime_last_30m: 40 }) as Endpoint
  const told = brokenEndpoints([
    endpoint('a/b', 'unconfigured'),
    endpoint('a/c', 'unconfigured'),
    endpoint('a/d', 'down'),
    endpoint('a/e', 'healthy'),
  ])
  assert.deepEqual(
    told.map(({ what, why }) => `${what}. ${why}`),
    ['P is down. a/d: 40.0 % answered in the last half hour', 'P has no credential. It could answer a/b, a/c.'],
  )
})

test('a circuit is told as long as it is open', () => {
  const circuit = { endpoint: 'a/b@p', workspace_id: null, reason: '3 of 4 failed', until: null, server: '1', at: '' }
  const told = (['open', 'half_open', 'closed'] as const).map((state) => openCircuits([{ ...circuit, state }]).length)
  assert.deepEqual(told, [1, 0, 0])
})

test('a key is told in the week before it ends, not after, and not when it is off', () => {
  const key = (days: number, disabled = false) => ({
    hash: '1',
    name: 'ci',
    disabled,
    expires_at: new Date(now + days * 86_400_000).toISOString(),
  })
  const told = [key(2), key(9), key(-1), key(2, true)].map((one) => endingKeys([one], now).length)
  assert.deepEqual(told, [1, 0, 0, 0])
})
