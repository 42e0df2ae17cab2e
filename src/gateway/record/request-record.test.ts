import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Measurement } from '#catalogue/measurements/measurement.ts'
import { Fault } from '#platform/core/fault.ts'
import { endpointFor } from '#test/harness/upstream/endpoints/encode-request.ts'
import type { AttemptFailure } from '../attempt/failure/failure.ts'
import type { RequestFacts } from './request-facts.ts'
import { RequestRecord } from './request-record.ts'
import type { TriedEndpoint } from './tried-endpoint.ts'

const max = {
  prompt: 100,
  reportablePrompt: 100,
  completion: 100,
  hasHiddenTokens: false,
  isSequential: true,
  hasUnrequestedTools: false,
  extraUsageBound: undefined,
}
const target = { model: { id: 'test/m' }, endpoint: endpointFor('m') }
const bound = { exactBound: max, isWithinBound: () => false }
const tried = { target, byok: false, bound, stopsOnDisconnect: true } as unknown as TriedEndpoint
const reported = { prompt: 7, completion: 3, cached: 0, cacheWritten: 0, reasoning: 0 }

const permit = { reportFirstByte() {}, reportFailure() {} } as never

function openRecord(streamed: boolean) {
  const clock = { now: 1000, stepMs: 0 }
  const measured: Measurement[] = []
  const measure = (one: Measurement) => void measured.push(one)
  const mismatches: string[][] = []
  const onUsageMismatch = (...mismatch: string[]) => void mismatches.push(mismatch)
  const speeds = () => ({ fastest: 100 })
  const now = () => clock.now + clock.stepMs
  const deps = { measure, speeds, now, elapsed: () => clock.now, newId: () => '1', tracing: false, onUsageMismatch }
  return { clock, measured, mismatches, record: new RequestRecord(deps, { streamed } as RequestFacts, () => 5) }
}

/** An attempt 10 ms after the request, its first content 20 ms later, its end another 30 ms later. */
function completed(streamed: boolean) {
  const { clock, measured, record } = openRecord(streamed)
  clock.now += 10
  const attempt = record.startAttempt(target as never, permit)
  clock.now += 20
  attempt.count([{ type: 'text', text: 'Hi' }])
  clock.now += 30
  attempt.count([{ type: 'usage', tokens: reported }])
  attempt.count([{ type: 'finish', reason: 'stop', native: 'stop' }])
  record.finishAttempt(attempt, tried, { failure: undefined, hasClientLeft: false, isFullyRead: true })
  return { measured, record }
}

test('a complete response is measured, a stream with its time to first token', () => {
  const whole = { endpointId: 'test/m@test', modelId: 'test/m', at: 1060, outcome: 'success' as const }
  const counts = { promptTokens: 7, completionTokens: 3, generatedTokens: 3, calledTools: false }
  assert.deepEqual(completed(true).measured, [{ ...whole, firstTokenMs: 20, generationMs: 30, ...counts }])
  assert.deepEqual(completed(false).measured, [{ ...whole, ...counts }])
})

test('a count above the bound is measured as the bound', () => {
  const { measured, record } = openRecord(true)
  const attempt = record.startAttempt(target as never, permit)
  attempt.count([{ type: 'usage', tokens: { ...reported, prompt: 1e9, completion: 1e9 } }])
  record.finishAttempt(attempt, tried, { failure: undefined, hasClientLeft: false, isFullyRead: true })
  assert.deepEqual([measured[0]!.promptTokens, measured[0]!.completionTokens], [100, 100])
})

test('pieces are metered for any unit name, up to a hundred units', () => {
  const { record } = openRecord(true)
  const attempt = record.startAttempt(target as never, permit)
  for (const unit of ['constructor', 'constructor', 'toString']) attempt.count([{ type: 'billed_piece', unit }])
  for (let i = 0; i < 1000; i++) attempt.count([{ type: 'billed_piece', unit: `tool ${i}` }])
  record.finishAttempt(attempt, tried, { failure: undefined, hasClientLeft: false, isFullyRead: true })
  const { pieces = {} } = record.close().extras ?? {}
  assert.deepEqual([Object.keys(pieces).length, pieces.constructor, pieces.toString], [100, 2, 1])
})

test('the record has the latency and the duration of the request', () => {
  const { latencyMs, durationMs } = completed(true).record.close()
  assert.deepEqual([latencyMs, durationMs], [30, 60])
})

for (const stepMs of [3_600_000, -3_600_000]) {
  const priced = { ...target, endpoint: { ...target.endpoint, prices: { prompt: '0', completion: '0.01' } } }
  const close = (stepMs: number) => {
    const { clock, record } = openRecord(true)
    const attempt = record.startAttempt(priced as never, permit)
    clock.now += 20
    attempt.count([{ type: 'text', text: 'Hi' }])
    clock.stepMs = stepMs
    clock.now += 500
    const triedEndpoint = { ...tried, target: priced } as unknown as TriedEndpoint
    record.finishAttempt(attempt, triedEndpoint, { failure: undefined, hasClientLeft: true, isFullyRead: false })
    return record.close()
  }
  test(`a step of the system time by ${stepMs} ms changes no latency, duration or charge`, () => {
    const { latencyMs, durationMs, cost, margin } = close(stepMs)
    const { cost: expectedCost, margin: expectedMargin } = close(0)
    assert.ok(margin > 0n)
    assert.deepEqual([latencyMs, durationMs, cost, margin], [20, 520, expectedCost, expectedMargin])
  })
}

test('a request without a response has no latency and no tokens', () => {
  const { latencyMs, tokens, cost, outcome } = openRecord(true).record.close()
  assert.deepEqual([latencyMs, cost, outcome], [undefined, 0n, 'failed'])
  assert.deepEqual(tokens, { prompt: 0, completion: 0, cached: 0, cacheWritten: 0, reasoning: 0 })
})

test('a request without an attempt because of a limit is refused', () => {
  const { record } = openRecord(true)
  record.noteCause(new Fault('payment_required', 'The limit is used up.'))
  assert.equal(record.close().outcome, 'refused')
})

test('contradicting counts are reported once, with their endpoint', () => {
  const { mismatches, record } = openRecord(true)
  const attempt = record.startAttempt(target as never, permit)
  for (const mismatch of ['a total of 1', 'a total of 2'])
    attempt.count([{ type: 'usage', tokens: reported, mismatch }])
  record.finishAttempt(attempt, tried, { failure: undefined, hasClientLeft: false, isFullyRead: true })
  record.close()
  assert.deepEqual(mismatches, [['test/m@test', 'a total of 2']])
})

test('reasoning that the response does not contain does not count for its throughput', () => {
  const { clock, measured, record } = openRecord(true)
  const attempt = record.startAttempt(target as never, permit)
  clock.now += 1000
  attempt.count([{ type: 'text', text: 'Hi' }])
  clock.now += 10
  attempt.count([{ type: 'usage', tokens: { ...reported, completion: 90, reasoning: 88 } }])
  attempt.count([{ type: 'finish', reason: 'stop', native: 'stop' }])
  record.finishAttempt(attempt, tried, { failure: undefined, hasClientLeft: false, isFullyRead: true })
  assert.deepEqual([measured[0]!.completionTokens, measured[0]!.generatedTokens], [90, 2])
})

test('a response with a usage report from before its content has no measured speed', () => {
  const { clock, measured, record } = openRecord(true)
  const attempt = record.startAttempt(target as never, permit)
  attempt.count([{ type: 'usage', tokens: { ...reported, completion: 1 } }])
  attempt.count([{ type: 'text', text: 'Hi' }])
  clock.now += 10
  attempt.count([{ type: 'finish', reason: 'stop', native: 'stop' }])
  record.finishAttempt(attempt, tried, { failure: undefined, hasClientLeft: false, isFullyRead: true })
  assert.equal(measured[0]!.generatedTokens, 0)
})

test('the speed is measured after the first 100 ms, which can contain a backlog', () => {
  const { clock, measured, record } = openRecord(true)
  const attempt = record.startAttempt(target as never, permit)
  attempt.count([{ type: 'text', text: 'x'.repeat(40) }])
  for (let count = 0; count < 10; count++) {
    clock.now += 100
    attempt.count([{ type: 'text', text: 'xxxx' }])
  }
  attempt.count([{ type: 'finish', reason: 'stop', native: 'stop' }])
  attempt.count([{ type: 'usage', tokens: { ...reported, completion: 20 } }])
  record.finishAttempt(attempt, tried, { failure: undefined, hasClientLeft: false, isFullyRead: true })
  assert.equal(measured[0]!.generatedTokens, 20)
  // 36 of 80 bytes, and as many of 20 tokens, in 900 ms.
  assert.equal(measured[0]!.speed, 10)
})

test('a response without a usage report has no measured speed', () => {
  const { clock, measured, record } = openRecord(true)
  const attempt = record.startAttempt(target as never, permit)
  attempt.count([{ type: 'text', text: 'Hi' }])
  clock.now += 10
  record.finishAttempt(attempt, tried, { failure: undefined, hasClientLeft: false, isFullyRead: true })
  assert.deepEqual([measured[0]!.completionTokens, measured[0]!.generatedTokens], [1, 0])
})

/** The charged tokens of a response that its client left 150 ms after its first content. */
function chargedAfterLeave({
  stops = true,
  hasHiddenTokens = false,
  isSequential = true,
  bytes = 40,
  firstTokenMs = 200,
}) {
  const { clock, record } = openRecord(true)
  const attempt = record.startAttempt(target as never, permit)
  clock.now += firstTokenMs
  attempt.count([{ type: 'text', text: 'x'.repeat(bytes) }])
  clock.now += 150
  const bound = {
    exactBound: { ...max, hasHiddenTokens, isSequential, completion: 10_000 },
    isWithinBound: () => false,
  }
  const endpoint = endpointFor('m', { prices: { prompt: '0.000001', completion: '0.000001' } })
  const failure = { wasSent: true, reason: 'aborted' } as AttemptFailure
  record.finishAttempt(
    attempt,
    { ...tried, target: { ...tried.target, endpoint }, bound, stopsOnDisconnect: stops },
    { failure, hasClientLeft: true, isFullyRead: true },
  )
  const { cost, margin } = record.close()
  // The endpoint costs one micro-dollar a token.
  return Number((cost + margin) / 1_000_000n) - max.prompt
}

test('a disconnect is charged the tokens that the endpoint can generate in the time', () => {
  // 150 ms, and 200 ms until the provider notices, at 120 tokens a second.
  assert.equal(chargedAfterLeave({}), 42)
  assert.equal(chargedAfterLeave({ hasHiddenTokens: true }), 66)
})

test('the disconnect margin is the time to first content, within 25 to 250 ms', () => {
  assert.equal(chargedAfterLeave({ firstTokenMs: 5 }), Math.ceil((150 + 25) * 0.12))
  assert.equal(chargedAfterLeave({ firstTokenMs: 5000 }), Math.ceil((150 + 250) * 0.12))
})

test('received text is charged even if it came faster than any measured response', () => {
  // Four bytes a token.
  assert.equal(chargedAfterLeave({ bytes: 400 }), 100)
})

test('a disconnect is charged the bound if time does not limit the response', () => {
  assert.equal(chargedAfterLeave({ stops: false }), 40 + 512)
  assert.equal(chargedAfterLeave({ stops: false, hasHiddenTokens: true }), 10_000)
  assert.equal(chargedAfterLeave({ isSequential: false }), 40 + 512)
})
