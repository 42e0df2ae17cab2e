import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Fault } from '#platform/core/fault.ts'
import { toCause } from './failure-cause.ts'

test('the cause of a refusal names guardrail and rule, or the excluded endpoints', () => {
  const metadata = { guardrail_id: 'g', guardrail_name: 'strict', rule: 'ignored_models' }
  const message = 'Refused by the guardrail "strict".'
  const byRule = new Fault('forbidden', message, { metadata })
  assert.deepEqual(toCause(byRule), { kind: 'forbidden', message, guardrailId: 'g', rule: 'ignored_models' })
  const excluded = [{ endpoint: 'a/b@p', reason: 'unconfigured' }]
  assert.deepEqual(toCause(new Fault('unavailable', 'No provider.', { metadata: { excluded } })), {
    kind: 'unavailable',
    message: 'No provider.',
    excluded,
  })
})

test('a cause has neither provider messages nor content of an invalid request', () => {
  const metadata = { provider_name: 'p', raw: 'you said: secret' }
  assert.deepEqual(toCause(new Fault('invalid', 'you said: secret', { metadata })), { kind: 'invalid' })
  const invalid = new Fault('invalid', 'Invalid request: messages[0].content: not "secret"')
  assert.deepEqual(toCause(invalid), { kind: 'invalid', message: 'messages[0].content' })
  assert.deepEqual(toCause(new Fault('invalid', 'secret')), { kind: 'invalid' })
})

test('an unexpected error is recorded as internal, without its message', () => {
  assert.deepEqual(toCause(new TypeError('cannot read secret')), { kind: 'internal' })
})
