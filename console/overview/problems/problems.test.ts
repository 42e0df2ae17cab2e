import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Endpoint, ShutCircuit, Status } from '../../api/types.ts'
import {
  brokenEndpoints,
  expiringKeys,
  failedInterns,
  failingEndpoints,
  openCircuits,
  unconfiguredProviders,
} from './problems.ts'
import { serviceProblems } from './service-problems.ts'

const now = Date.UTC(2026, 10, 22, 12)

test('failingEndpoints reports high failure rates with reasons', () => {
  const rows = [
    { endpoint: 'a/b@p', error: null, request_count: 8, error_count: 0, refused_count: 0 },
    { endpoint: 'a/b@p', error: 'rate_limited', request_count: 2, error_count: 2, refused_count: 0 },
    { endpoint: 'a/c@p', error: 'bad_gateway', request_count: 2, error_count: 2, refused_count: 0 },
    { endpoint: 'a/d@p', error: null, request_count: 100, error_count: 1, refused_count: 0 },
  ]
  assert.deepEqual(
    failingEndpoints(rows).map(({ title, reason, path }) => [title, reason, path]),
    [['a/b@p fails', '2 of 10 in the last hour (20 %): rate limited', '/requests?last=1h&outcome=failed&model=a%2Fb']],
  )
})

const endpoint = (model_id: string, status: string) =>
  ({ model_id, status, tag: 'p', provider_name: 'P', uptime_last_30m: 40 }) as Endpoint

test('brokenEndpoints reports endpoints with their uptime', () => {
  const problems = brokenEndpoints([
    endpoint('a/b', 'unconfigured'),
    endpoint('a/d', 'down'),
    endpoint('a/e', 'healthy'),
  ])
  assert.deepEqual(
    problems.map(({ title, reason }) => `${title}. ${reason}`),
    ['P is down. a/d: 40 % successful in the last half hour'],
  )
})

test('unconfiguredProviders reports a provider once with its models', () => {
  const endpoints = [endpoint('a/b', 'unconfigured'), endpoint('a/c', 'unconfigured'), endpoint('a/e', 'healthy')]
  const lacking = [{ provider: 'p', name: 'P', variables: ['P_KEY', 'P_TOKEN'], models: 9 }]
  assert.deepEqual(
    unconfiguredProviders(endpoints, lacking).map(({ title, reason }) => `${title}. ${reason}`),
    ['P has no credential. It serves a/b, a/c. The service looks for P_KEY or P_TOKEN in its environment.'],
  )
})

const circuit = { endpoint: 'a/b@p', workspace_id: null, reason: 'failure_rate', until: null, of_this_host: true }

test('openCircuits reports each open circuit once', () => {
  const shut = (state: ShutCircuit['state'], server = '1') => ({ ...circuit, state, server })
  assert.deepEqual(openCircuits([shut('half_open')]), [])
  assert.deepEqual(
    openCircuits([shut('open'), shut('open', '2')]).map(({ title, reason }) => `${title}. ${reason}`),
    ['a/b@p is skipped: open circuit. failure rate, in 2 processes'],
  )
})

test('failedInterns reports interns of others without a link', () => {
  const failed = (id: string) => ({ id, name: id, status: 'failed' as const, last_failure_message: 'no room' })
  assert.deepEqual(
    failedInterns([failed('ada')], [failed('ada'), failed('bob')]).map(({ path }) => path),
    ['/interns/ada', '/interns'],
  )
})

const nothing = { waiting: 0, oldest_at: null }
const quiet = {
  database: { kind: 'sqlite', state: 'ok' },
  host: {
    workers: { wanted: 2, answering: 2 },
    processes: [{ ledger: { memory: nothing, files: nothing, is_full: false } }],
    catalogue: { skipped_count: 0, skipped: [] },
  },
  organization: {
    money: { held_usd: 3, unaccounted_usd: 0 },
    interns: { failed: [], questions: { waiting: 0, first_deadline_at: null } },
  },
} as unknown as Status

test('serviceProblems is empty for a healthy service', () => {
  const ledger = {
    memory: { waiting: 3, oldest_at: new Date(now - 400).toISOString() },
    files: nothing,
    is_full: false,
  }
  const busy = { ...quiet, host: { ...quiet.host, processes: [{ ledger }] } } as unknown as Status
  assert.deepEqual([...serviceProblems(quiet, now), ...serviceProblems(busy, now)], [])
})

test('serviceProblems lists every problem', () => {
  const old = { waiting: 40, oldest_at: new Date(now - 60_000).toISOString() }
  const process = { ledger: { memory: { waiting: 2, oldest_at: null }, files: old, is_full: true } }
  const problems = serviceProblems(
    {
      database: { kind: 'postgres', state: 'read_only' },
      host: {
        workers: { wanted: 3, answering: 2 },
        processes: [process, process],
        catalogue: { skipped_count: 2, skipped: [{ source: 'own', row: 'a/b', reason: 'has no price' }] },
      },
      organization: {
        money: { held_usd: 3, unaccounted_usd: 1.5 },
        interns: { questions: { waiting: 2, first_deadline_at: new Date(now + 90_000).toISOString() } },
      },
    } as unknown as Status,
    now,
  )
  assert.deepEqual(
    problems.map(({ title }) => title),
    [
      'The database is read-only',
      '2 of 3 workers respond',
      '44 requests not in the ledger yet',
      '2 entries of the catalogue skipped',
      '$1.50 of limits reserved by servers that do not respond',
      '2 questions of interns wait for an answer',
    ],
  )
  assert.equal(problems[3]!.path, '/service/catalogue')
  assert.match(problems[2]!.reason, /40 of them in files\. No further requests are accepted/)
})

test('expiringKeys lists enabled keys in the week before they expire', () => {
  const key = (days: number, disabled = false) => ({
    hash: '1',
    name: 'ci',
    workspace_id: 'w',
    disabled,
    expires_at: new Date(now + days * 86_400_000).toISOString(),
  })
  const problems = [key(2), key(9), key(-1), key(2, true)].map((one) => expiringKeys([one], now).length)
  assert.deepEqual(problems, [1, 0, 0, 0])
})
