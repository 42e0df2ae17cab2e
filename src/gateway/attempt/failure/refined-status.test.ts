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
    [400, undefined, 'Incorrect API key provided: ab***.', 401],
    [400, 'InvalidApiKey', 'No API-key provided.', 401],
    [400, 'Arrearage', 'Access denied, please make sure your account is in good standing.', 402],
    [429, 'exceeded_current_quota_error', 'You exceeded your current token quota', 402],
    [429, undefined, '余额不足或无可用资源包,请充值。', 402],
    [429, undefined, '您的账户已欠费，请充值后重试', 402],
    [403, undefined, 'Your team a has either used all available credits or reached its monthly spending limit.', 402],
    [403, undefined, "Your newly created team doesn't have any credits yet.", 402],
    [400, 'ThrottlingException', 'Rate exceeded', 429],
    [400, undefined, 'This organization has been disabled.', 403],
    [400, undefined, 'The model `x` does not exist', 404],
    [400, undefined, 'Model not exist.', 404],
    [422, undefined, 'Unknown Model, please check the model code.', 404],
    [400, undefined, 'Invocation of model ID x with on-demand throughput isn’t supported.', 404],
    [400, undefined, 'Too many requests, please wait', 429],
    [401, 'insufficient_quota', 'You exceeded your current quota, please check your plan and billing details', 402],
    [400, 'invalid_request_error', 'You have reached your specified API usage limits. You will regain access on', 402],
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
  assert.equal(refineStatus(400, undefined, 'messages.0: the model not found in the text'), 400)
  assert.equal(refineStatus(429, 'RESOURCE_EXHAUSTED', 'You exceeded your current quota'), 429)
  assert.equal(refineStatus(404, 'insufficient_quota', 'x'), 404)
  assert.equal(refineStatus(500, 'rate_limit_exceeded', 'x'), 500)
})
