import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endpointFor } from '#test/harness/upstream/endpoints/encode-request.ts'
import { anthropicMessages } from './anthropic-messages.ts'
import { adaptForAnthropic } from './anthropic-passthrough.ts'

const taken = (body: object) =>
  adaptForAnthropic({ ...body }, endpointFor('claude', { maxCompletionTokens: 77 })) as any
const own = { type: 'thinking', thinking: 'Hm', signature: 'EqQB' }
const call = { type: 'tool_use', id: 'a', name: 'f', input: {} }
const result = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'ok' }] }
const assistant = (...content: object[]) => ({ role: 'assistant', content })

test('a body is passed through with the upstream model and a limit', () => {
  const { model, max_tokens, messages } = taken({ model: 'a/b', messages: [{ role: 'user', content: 'Hi' }] })
  assert.deepEqual([model, max_tokens, messages], ['claude', 77, [{ role: 'user', content: 'Hi' }]])
  assert.equal(taken({ messages: [], max_tokens: 5 }).max_tokens, 5)
  assert.equal(taken({ messages: [], max_tokens: 0 }).max_tokens, 0)
})

test('signed reasoning is sent back, unsigned is removed', () => {
  const foreign = [
    { type: 'thinking', thinking: 'Hm', signature: '' },
    { type: 'thinking', thinking: 'Hm' },
    { type: 'redacted_thinking' },
  ]
  const redacted = { type: 'redacted_thinking', data: 'EqQB' }
  const { messages } = taken({ messages: [assistant(own, ...foreign, redacted, call), assistant(...foreign), result] })
  assert.deepEqual(messages, [assistant(own, redacted, call), result])
})

test('sources of other models are removed from text', () => {
  const [mine, others] = [
    { type: 'web', encrypted_index: 'x' },
    { type: 'web', encrypted_index: '' },
  ]
  const text = (citations: object[] | null) => ({ type: 'text', text: 'Hi', citations })
  const { messages } = taken({ messages: [assistant(text([mine, others]), text([others]))] })
  assert.deepEqual(messages, [assistant(text([mine]), text(null))])
})

test('reasoning stays on after a call only with its reasoning', () => {
  const thinking = { type: 'enabled', budget_tokens: 2000 }
  const thinkingFor = (...messages: object[]) => taken({ thinking, max_tokens: 4000, messages }).thinking
  const foreign = { ...own, signature: '' }
  assert.deepEqual(thinkingFor(assistant(own, call), result), thinking)
  assert.equal(thinkingFor(assistant(foreign, call), result), undefined)
  assert.deepEqual(thinkingFor(assistant(foreign), { role: 'user', content: 'And?' }), thinking)
})

test('the effort of thinking is added to other output settings', () => {
  const output_config = { format: { type: 'json_schema', schema: {} } }
  const thinking = { messages: [], max_tokens: 4000, reasoning: { effort: 'high' } }
  const asking = (more: object) => adaptForAnthropic({ ...thinking, ...more }, endpointFor('claude-opus-4-7')) as any
  assert.deepEqual(asking({}).output_config, { effort: 'high' })
  assert.deepEqual(asking({ output_config }).output_config, { effort: 'high', ...output_config })
  assert.deepEqual(asking({ output_config, reasoning: undefined }).output_config, output_config)
})

test('images and texts in the form of other protocols become blocks', () => {
  const content = [
    { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
    { type: 'input_image', image_url: 'https://a.b/c.png' },
    { type: 'input_text', text: 'x' },
  ]
  const { body } = anthropicMessages.passThrough!(
    { max_tokens: 5, messages: [{ role: 'user', content }] },
    { endpoint: endpointFor('claude-sonnet-4-5'), credential: undefined, stream: false },
  )!
  assert.deepEqual((body.messages as { content: object[] }[])[0]!.content, [
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
    { type: 'image', source: { type: 'url', url: 'https://a.b/c.png' } },
    { type: 'text', text: 'x' },
  ])
})
