import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sampleGeneration } from '#test/harness/records/sample-generation.ts'
import { outcomeOf } from '../list/outcome.ts'
import { failureSummary, timelineOf } from './timeline.ts'

const attempt = (provider_name: string, outcome: string, duration: number, reason?: string) => ({
  connect: null,
  first_byte: null,
  charged_usd: 0,
  unconfirmed_usd: 0,
  endpoint_id: `m@${provider_name}`,
  provider_name,
  outcome,
  duration,
  ...(reason && { reason }),
})

const stepsOf = (more: Parameters<typeof sampleGeneration>[0]) =>
  timelineOf(sampleGeneration(more)).map(({ label, text, from, ms }) => [label, text, from, ms])

test('timelineOf lists the steps of a response from the plan to the meter', () => {
  assert.deepEqual(stepsOf({}), [
    ['guardrails', 'allowed', undefined, undefined],
    ['plan', undefined, 0, 10],
    ['anthropic', 'first token', 10, 30],
    ['anthropic', '10 tokens', 40, 60],
    ['metering', 'tokens reported by the provider', undefined, undefined],
  ])
})

test('timelineOf places attempts on one time axis and lists open circuits', () => {
  const attempts = [
    attempt('azure', 'circuit_open', 0, 'open circuit'),
    attempt('vertex', 'rate_limited', 20, 'status 429'),
    attempt('anthropic', 'answered', 70),
  ]
  assert.deepEqual(stepsOf({ attempts, latency: 50 }).slice(2, -1), [
    ['azure', 'excluded: open circuit', undefined, undefined],
    ['vertex', 'returned 429', 10, 20],
    ['anthropic', 'first token', 30, 20],
    ['anthropic', '10 tokens', 50, 50],
  ])
})

test('timelineOf splits an attempt into its waits and omits empty ones', () => {
  const waited = (more: object) => ({ ...attempt('anthropic', 'answered', 90), ...more })
  const steps = (more: object) => stepsOf({ attempts: [waited(more)], latency: 40 }).slice(2, -1)
  assert.deepEqual(steps({ connect: 5, first_byte: 20 }), [
    ['anthropic', 'connect', 10, 5],
    ['anthropic', 'first byte', 15, 15],
    ['anthropic', 'first token', 30, 10],
    ['anthropic', '10 tokens', 40, 60],
  ])
  assert.deepEqual(steps({ connect: 0, first_byte: 30 }), [
    ['anthropic', 'first byte', 10, 30],
    ['anthropic', '10 tokens', 40, 60],
  ])
  const slow = { ...attempt('vertex', 'rate_limited', 20, 'status 429'), connect: 4, first_byte: 19 }
  assert.deepEqual(stepsOf({ attempts: [slow], outcome: 'failed', latency: null }).slice(2, -1), [
    ['vertex', 'connect', 80, 4],
    ['vertex', 'first byte', 84, 15],
    ['vertex', 'returned 429', 99, 1],
  ])
})

test('timelineOf lists excluded endpoints first and unused endpoints last', () => {
  const skipped = (tag: string, standing: 'behind' | 'left_out', reason: string) => ({
    endpoint_id: `m@${tag}`,
    standing,
    reason,
  })
  const not_asked = [
    ...['a', 'b', 'c', 'd', 'e'].map((tag) => skipped(tag, 'left_out', 'unconfigured')),
    skipped('f', 'behind', 'not_reached'),
    skipped('g', 'left_out', 'context_too_small'),
  ]
  const lines = stepsOf({ not_asked }).map(([label, text]) => [label, text])
  assert.deepEqual(lines.slice(2, 4), [
    ['a, b, c and 2 more', 'excluded: no credential'],
    ['g', 'excluded: prompt too long'],
  ])
  assert.deepEqual(lines.at(-2), ['f', 'next, not needed'])
})

test('timelineOf names the number of planned endpoints and their order', () => {
  const unused = { endpoint_id: 'm@b', standing: 'behind' as const, reason: 'not_reached' }
  const plan = (more: Parameters<typeof sampleGeneration>[0]) => stepsOf({ not_asked: [unused], ...more })[1]?.[1]
  assert.equal(plan({ ordered_by: 'draw' }), '2 endpoints, weighted random, cheaper first')
  assert.equal(plan({ ordered_by: 'latency' }), '2 endpoints, lowest latency first')
  assert.equal(plan({ ordered_by: null }), undefined)
})

test('timelineOf reports the slowest and the fastest token rate', () => {
  const pace = { every: 500, tokens: [10, 30, 0, 20, 1] }
  const steps = timelineOf(sampleGeneration({ pace, tokens_completion: 61 }))
  const answered = steps.find((step) => step.pace)
  assert.equal(answered?.text, '61 tokens, 0 to 60 per second')
  assert.deepEqual(
    answered?.pace?.shares.map((share) => share.toFixed(2)),
    ['0.33', '1.00', '0.00', '0.67', '0.03'],
  )
})

test('timelineOf ends a refusal with the rule and a link to the guardrail', () => {
  const error = { kind: 'forbidden', rule: 'ignored_models', guardrail_id: 'g-1' }
  const [step, ...others] = timelineOf(sampleGeneration({ outcome: 'refused', attempts: [], error }))
  assert.deepEqual([step?.text, step?.href, others], ['blocked model', '/guardrails/g-1', []])
})

test('timelineOf lists presets, filter findings and excluded endpoints', () => {
  const steps = stepsOf({
    preset: { id: 'p', slug: 'support', version: 4 },
    content_findings: [{ guardrail_id: 'g-1', rule: 'email', action: 'redact', count: 2 }],
    error: { kind: 'unavailable', excluded: [{ endpoint: 'm@eu', reason: 'region' }] },
    outcome: 'failed',
    attempts: [],
  }).map(([label, text]) => [label, text])
  assert.deepEqual(steps.slice(0, 2), [
    ['preset support', 'version 4'],
    ['guardrail', 'redacted 2 email'],
  ])
  assert.deepEqual(steps[3], ['m@eu', 'excluded: region'])
})

test('outcomeOf names the outcome of a request', () => {
  const textOf = (more: Parameters<typeof sampleGeneration>[0]) => outcomeOf(sampleGeneration(more)).text
  assert.equal(textOf({}), 'success')
  assert.equal(
    textOf({ attempts: [attempt('a', 'rate_limited', 1), attempt('b', 'answered', 1)] }),
    '2nd attempt succeeded',
  )
  assert.equal(textOf({ attempts: [attempt('a', 'circuit_open', 0), attempt('b', 'answered', 1)] }), 'success')
  assert.equal(textOf({ outcome: 'client_left' }), 'client disconnected')
  assert.equal(textOf({ outcome: 'refused', error: { kind: 'forbidden', rule: 'max_budget' } }), 'max budget')
})

test('failureSummary lists the failed attempts of a request', () => {
  const failed = (...attempts: ReturnType<typeof attempt>[]) =>
    sampleGeneration({ outcome: 'failed', attempts, total_cost: 0, tokens_prompt: 0, tokens_completion: 0 })
  const vertex = attempt('vertex', 'rate_limited', 20, 'status 429')
  const azure = attempt('azure', 'circuit_open', 0, 'open circuit')
  const slow = attempt('anthropic', 'gateway_timeout', 70)
  assert.equal(failureSummary(failed(azure, vertex)), 'The only attempt failed: vertex (provider rate limit).')
  assert.equal(
    failureSummary(failed(vertex, slow)),
    'All attempts failed: vertex (provider rate limit), anthropic (timeout).',
  )
  assert.deepEqual([failureSummary(failed(azure)), failureSummary(sampleGeneration({}))], [undefined, undefined])
  assert.equal(timelineOf(failed(vertex)).at(-1)!.text, 'nothing was charged')
})
