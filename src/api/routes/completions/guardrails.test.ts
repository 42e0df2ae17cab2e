import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestService, type TestService } from '#test/harness/service/service.ts'

const ask = (service: TestService, model = 'signalbox/demo') =>
  service.ask('POST', '/chat/completions', { body: { model, messages: [{ role: 'user', content: 'Hello' }] } })

async function defaultGuardrail(service: TestService): Promise<string> {
  const { body } = await service.manage('GET', '/workspaces')
  return body.data[0].default_guardrail_id
}

test('the workspace’s guardrail refuses a model immediately and names the rule', async () => {
  await using service = await startTestService()
  const id = await defaultGuardrail(service)
  assert.equal((await ask(service)).status, 200)
  await service.manage('PATCH', `/guardrails/${id}`, { name: 'House', allowed_models: ['openai/gpt-5'] })
  const { status, body } = await ask(service)
  assert.equal(status, 403)
  assert.match(
    body.error.message,
    /^Refused by the guardrail "House" \(allowed_models\): the model signalbox\/demo is not allowed/,
  )
  assert.deepEqual(body.error.metadata, { guardrail_id: id, guardrail_name: 'House', rule: 'allowed_models' })
  await service.manage('PATCH', `/guardrails/${id}`, { allowed_models: null })
  assert.equal((await ask(service)).status, 200)
})

test('a guardrail of one key holds for that key alone', async () => {
  await using service = await startTestService()
  const { body: created } = await service.manage('POST', '/guardrails', {
    name: 'Strict',
    ignored_providers: ['signalbox'],
  })
  const { body: key } = await service.manage('POST', '/keys', { name: 'strict' })
  await service.manage('POST', `/guardrails/${created.data.id}/assignments/keys`, { key_hashes: [key.data.hash] })
  const strict = await service.ask('POST', '/chat/completions', {
    key: key.key,
    body: { model: 'signalbox/demo', messages: [{ role: 'user', content: 'Hello' }] },
  })
  assert.equal(strict.status, 403)
  assert.equal(strict.body.error.metadata.rule, 'ignored_providers')
  assert.equal((await ask(service)).status, 200)
})

test('a request through another region is refused', async () => {
  await using service = await startTestService()
  const id = await defaultGuardrail(service)
  await service.manage('PATCH', `/guardrails/${id}`, { allowed_data_regions: ['europe'] })
  const { status, body } = await ask(service)
  assert.deepEqual([status, body.error.metadata.rule], [403, 'allowed_data_regions'])
})
