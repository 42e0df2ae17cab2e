import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isModelSpecificRefusal, refineStatus } from './refined-status.ts'

test('a refusal because of the account or the model has the status of its cause', () => {
  const rows: [status: number, code: string | undefined, message: string, refined: number][] = [
    [400, 'model_not_found', 'The model `x` does not exist', 404],
    [429, 'insufficient_quota', 'You exceeded your current quota', 402],
    [413, 'rate_limit_exceeded', 'Request too large for model on tokens per minute (TPM)', 429],
    [400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.', 401],
    [400, 'FAILED_PRECONDITION', 'User location is not supported for the API use.', 403],
    [400, 'invalid_request_error', 'Your credit balance is too low to access the Anthropic API.', 402],
    [403, undefined, 'Your team has used all available credits', 402],
  ]
  for (const [status, code, message, refined] of rows) assert.equal(refineStatus(status, code, message), refined)
})

test('a content policy or an unusable call is recognized by the error code', () => {
  for (const code of ['content_filter', 'content_policy_violation', 'tool_use_failed'])
    assert.equal(isModelSpecificRefusal(code), true)
  assert.equal(isModelSpecificRefusal('invalid_request_error'), false)
})

test('other refusals keep their status', () => {
  assert.equal(refineStatus(400, 'invalid_request_error', 'messages: must not be empty'), 400)
  assert.equal(refineStatus(404, 'insufficient_quota', 'x'), 404)
  assert.equal(refineStatus(500, 'rate_limit_exceeded', 'x'), 500)
})
