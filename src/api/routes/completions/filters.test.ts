import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestService, type TestService } from '#test/harness/service/service.ts'
import { untilMetered } from '#test/harness/service/world/generation-record.ts'

async function filtering(service: TestService, policy: object): Promise<string> {
  const { body } = await service.manage('GET', '/workspaces')
  const id = body.data[0].default_guardrail_id
  await service.manage('PATCH', `/guardrails/${id}`, { name: 'House', ...policy })
  return id
}
const ask = (service: TestService, content: unknown) =>
  service.ask('POST', '/chat/completions', { body: { model: 'signalbox/demo', messages: [{ role: 'user', content }] } })

test('redacted text never reaches the model, as text or in parts', async () => {
  await using service = await startTestService()
  await filtering(service, { content_filter_builtins: [{ slug: 'email', action: 'redact' }] })
  const text = await ask(service, 'Write to ada@example.com 🚂')
  assert.match(text.body.choices[0].message.content, /You said: Write to \[EMAIL\] 🚂/)
  const parts = await ask(service, [{ type: 'text', text: 'Write to ada@example.com' }])
  assert.match(parts.body.choices[0].message.content, /Write to \[EMAIL\]/)
})

test('blocked text is refused by guardrail and rule, and is not repeated', async () => {
  await using service = await startTestService()
  await filtering(service, { content_filters: [{ pattern: 'project-[a-z]+', action: 'block' }] })
  const { status, body, text } = await ask(service, 'What is project-falcon')
  assert.equal(status, 403)
  assert.deepEqual([body.error.metadata.guardrail_name, body.error.metadata.rule], ['House', 'content_filters[0]'])
  assert.doesNotMatch(text, /falcon/)
})

test('flagged text passes, and its rule and count are recorded without the text', async () => {
  await using service = await startTestService()
  const id = await filtering(service, { content_filter_builtins: [{ slug: 'email', action: 'flag' }] })
  const { headers, body } = await ask(service, 'ada@example.com and bob@example.com')
  assert.match(body.choices[0].message.content, /ada@example\.com/)
  const generation = await untilMetered(service, headers.get('x-generation-id'))
  assert.equal(generation.content_findings[0].count, 2)
  assert.equal(generation.content_findings[0].guardrail_id, id)
  assert.doesNotMatch(JSON.stringify(generation), /ada@/)
})

test('text of a responses client is redacted too', async () => {
  await using service = await startTestService()
  await filtering(service, { content_filter_builtins: [{ slug: 'email', action: 'redact' }] })
  const { body } = await service.ask('POST', '/responses', {
    body: { model: 'signalbox/demo', input: 'Write to ada@example.com' },
  })
  assert.match(JSON.stringify(body.output), /Write to \[EMAIL\]/)
})
