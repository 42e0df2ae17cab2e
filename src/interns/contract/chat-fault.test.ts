import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Fault } from '#platform/core/fault.ts'
import { addChatReason, chatFault, guardrailRefusal, refusalToChatFault } from './chat-fault.ts'
import { fileRefusals, Refusal, refusals } from './refusal.ts'

test('a refusal says its reason, whether trying again may help, and when', () => {
  const busy = chatFault('conflict', 'busy', 'M')
  assert.deepEqual([busy.kind, busy.message], ['conflict', 'M'])
  assert.deepEqual(busy.details, {
    metadata: { reason: 'busy', retryable: true },
    headers: { 'x-should-retry': 'true' },
    retryAfterSeconds: 1,
  })
  assert.deepEqual(chatFault('not_found', 'not_found', 'M').details, {
    metadata: { reason: 'not_found', retryable: false },
    headers: { 'x-should-retry': 'false' },
  })
  assert.equal(chatFault('rate_limited', 'rate_limited', 'M', { retryAfterSeconds: 7 }).details.retryAfterSeconds, 7)
  assert.equal(chatFault('gone', 'timeout', 'M', { retryable: false }).details.headers!['x-should-retry'], 'false')
})

test('an ended run is not retryable', () => {
  assert.deepEqual(chatFault('gone', 'run_ended', 'M').details.metadata, { reason: 'run_ended', retryable: false })
})

test('a refusal of the daemon has the kind of its status and its public reason', () => {
  const results = Object.keys(refusals).map((kind) => {
    const fault = refusalToChatFault(new Refusal(kind as keyof typeof refusals, 'M')) as Fault
    return [kind, fault.kind, ...Object.values(fault.details.metadata!)]
  })
  assert.deepEqual(results, [
    ['bad_request', 'invalid', 'bad_request', false],
    ['interaction_unknown', 'not_found', 'interaction_unknown', false],
    ['session_unknown', 'not_found', 'not_found', false],
    ['session_busy', 'conflict', 'busy', true],
    ['session_moved', 'conflict', 'busy', true],
    ['interaction_not_pending', 'conflict', 'interaction_not_pending', false],
    ['already_attached', 'conflict', 'attachment_failed', false],
    ['output_lost', 'gone', 'attachment_failed', false],
    ['intern_rejected', 'bad_gateway', 'intern_rejected', false],
    ['turn_failed', 'bad_gateway', 'turn_failed', false],
    ['stream_severed', 'bad_gateway', 'stream_severed', true],
    ['questions_full', 'unavailable', 'busy', true],
    ['intern_unreachable', 'bad_gateway', 'intern_unreachable', true],
    ['host_gone', 'unavailable', 'intern_unreachable', true],
    ['intern_asleep', 'unavailable', 'intern_not_ready', true],
    ['agent_not_ready', 'unavailable', 'intern_not_ready', true],
    // Refusals of file requests do not occur in a chat.
    ...Object.keys(fileRefusals).map((kind) => [kind, 'bad_gateway', 'intern_rejected', false]),
  ])
  for (const [kind, { code, retryable }] of Object.entries(refusals)) {
    const refusal = new Refusal(kind as keyof typeof refusals, 'M')
    assert.deepEqual([refusal.code, refusal.retryable], [code, retryable])
    assert.equal(typeof refusal.retryable, 'boolean')
  }
  const other = new Error('M')
  assert.equal(refusalToChatFault(other), other)
})

test('an earlier refusal has the reason of this route', () => {
  const metadata = (fault: Fault) => addChatReason(fault).details.metadata
  assert.deepEqual(metadata(new Fault('invalid', 'M')), { reason: 'bad_request', retryable: false })
  assert.deepEqual(metadata(new Fault('payload_too_large', 'M')), { reason: 'payload_too_large', retryable: false })
  assert.equal(metadata(new Fault('unauthenticated', 'M')), undefined)
  assert.deepEqual(metadata(new Fault('invalid', 'M', { metadata: { reason: 'own' } })), { reason: 'own' })
})

test('a guardrail refusal is bad_request, and a full filter queue rate_limited', () => {
  const reasonOf = (fault: Fault) => guardrailRefusal(fault).details.metadata
  assert.deepEqual(reasonOf(new Fault('forbidden', 'No.')), { reason: 'bad_request', retryable: false })
  const busy = new Fault('rate_limited', 'Wait.', { retryAfterSeconds: 5 })
  assert.deepEqual(reasonOf(busy), { reason: 'rate_limited', retryable: true })
  assert.equal(guardrailRefusal(busy).details.retryAfterSeconds, 5)
  assert.equal(reasonOf(new Fault('unauthenticated', 'No.')), undefined)
})
