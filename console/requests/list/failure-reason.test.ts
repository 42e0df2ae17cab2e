import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sampleGeneration } from '#test/harness/records/sample-generation.ts'
import { failureReason } from './failure-reason.ts'

type Request = Parameters<typeof failureReason>[0]

const reasonOf = (error: Request['error'], attempts: Request['attempts'] = []) =>
  failureReason(sampleGeneration({ outcome: 'failed', attempts, ...(error && { error }) }))

const failed = (outcome: string, reason: string, error?: object) => [
  {
    endpoint_id: 'm@a',
    provider_name: 'a',
    outcome,
    duration: 1,
    connect: null,
    first_byte: null,
    charged_usd: 0,
    unconfirmed_usd: 0,
    reason,
    ...(error && { error }),
  },
]
const excluded = (...reasons: string[]) => reasons.map((reason) => ({ endpoint: 'm@a', reason }))

test('failureReason names the component that refused a request', () => {
  const rule = (name: string, kind = 'forbidden') => reasonOf({ kind, rule: name })
  assert.equal(rule('enforce_zdr_other'), 'zero data retention')
  assert.equal(rule('max_cost_usd'), 'turn budget used up')
  assert.equal(rule('limit', 'rate_limited'), 'key limit used up (reserved)')
  assert.equal(reasonOf({ kind: 'unavailable', excluded: excluded('unconfigured') }), 'no credential')
  assert.equal(reasonOf({ kind: 'invalid', reason: 'context_length_exceeded' }), 'prompt too long')
  const several = excluded('unconfigured', 'data_policy', 'unsupported_tool', 'unavailable_now')
  assert.equal(
    reasonOf({ kind: 'not_found', excluded: several }),
    'data policy of the request, provider tool not supported, …',
  )
})

test('failureReason names the failure of the provider, not its status', () => {
  const of = (...attempt: Parameters<typeof failed>) => reasonOf({ kind: 'bad_gateway' }, failed(...attempt))
  assert.equal(of('bad_gateway', 'status 401'), 'provider rejected the credential')
  assert.equal(of('rate_limited', 'status 429', { status: 429 }), 'provider rate limit')
  assert.equal(of('bad_gateway', 'status 500'), 'provider failed')
  assert.equal(of('request_timeout', 'no byte for 120000 ms (first_byte)'), 'provider timed out')
  assert.equal(of('bad_gateway', 'reset (connect)'), 'connection failed')
  assert.equal(of('broke', 'error 502 within the response'), 'provider failed in its response')
  assert.equal(of('broke', 'a response that ended too early'), 'response ended early')
})
