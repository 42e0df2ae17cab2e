import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestService, type TestService } from '#test/harness/service/service.ts'
import { untilMetered } from '#test/harness/service/world/generation-record.ts'

const ask = (service: TestService, content: string, more: object = {}) =>
  service.ask('POST', '/chat/completions', {
    body: { model: 'signalbox/demo', messages: [{ role: 'user', content }], ...more },
  })

test('a chat is answered, and metered under the id in the header and the response', async () => {
  await using service = await startTestService()
  const { status, body, headers } = await ask(service, 'Hello')
  assert.equal(status, 200)
  assert.match(body.choices[0].message.content, /^You said: Hello/)
  const generation = await untilMetered(service, headers.get('x-generation-id') ?? '')
  assert.equal((await untilMetered(service, body.id)).id, generation.id)
  assert.deepEqual(
    [generation.tokens_prompt, generation.outcome, generation.provider_name],
    [2, 'success', 'signalbox'],
  )
})

test('a stream ends with [DONE], and has a usage chunk only on request', async () => {
  await using service = await startTestService()
  const plain = await ask(service, 'Hello', { stream: true })
  const response = await ask(service, 'Hello', { stream: true, stream_options: { include_usage: true } })
  assert.match(plain.text, /data: \[DONE\]\n\n$/)
  assert.match(plain.text, /"choices":\[\{[^\]]*\}\],"usage":/)
  assert.match(response.text, /"choices":\[\],"usage":\{[^}]*"cost":0/)
})

test('a refusal before the first byte has an honest status and names the provider', async () => {
  await using service = await startTestService()
  const { status, body } = await ask(service, 'demo:error=503', { stream: true })
  assert.equal(status, 502)
  assert.equal(body.error.metadata.provider_name, 'signalbox')
})

test('a failure after the first byte is sent in the stream, which ends with [DONE]', async () => {
  await using service = await startTestService()
  const { status, text } = await ask(service, 'demo:cut', { stream: true })
  assert.equal(status, 200)
  assert.match(text, /"finish_reason":"error".*"code":502/)
  assert.match(text, /data: \[DONE\]\n\n$/)
})

test('an unknown model returns 404, and one without credential 503, without details', async () => {
  await using service = await startTestService()
  assert.equal((await ask(service, 'Hello', { model: 'no/such' })).status, 404)
  assert.equal((await ask(service, 'Hello', { model: 'openai/gpt-5' })).status, 503)
})

test('the activity of a day is returned by model and endpoint', async () => {
  await using service = await startTestService()
  const { headers } = await ask(service, 'Hello')
  await untilMetered(service, headers.get('x-generation-id') ?? '')
  const { body } = await service.manage('GET', '/activity')
  assert.equal(body.data[0].model, 'signalbox/demo')
  assert.equal(body.data[0].requests, 1)
})
