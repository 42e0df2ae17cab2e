import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Endpoint } from '#catalogue/index/model.ts'
import { JsonSource } from '#platform/json/json-text/json-source.ts'
import { encoded, endpointFor, weatherCall } from '#test/harness/upstream/endpoints/encode-request.ts'
import { encodeBody } from '../../protocol/encoded-body.ts'
import { openaiChat } from './openai-chat.ts'

/** The body for the upstream. Checks that rewriting and passing bytes through give the same body. */
const passed = (body: object) => {
  const target = { endpoint: endpointFor('grok-4'), credential: 'secret', stream: true }
  const bytes = Buffer.from(JSON.stringify(body))
  const given = JSON.parse(bytes.toString())
  const rewritten = JSON.parse(String(encodeBody(openaiChat.passThrough!(given, target)!)))
  const source = new JsonSource(given, bytes, bytes.toString())
  const pieces = encodeBody(openaiChat.passThrough!(given, target, source)!)
  assert.ok(Array.isArray(pieces))
  assert.deepEqual(JSON.parse(Buffer.concat(pieces).toString()), rewritten)
  return rewritten
}

describe('openai-chat, requests', () => {
  test('only the model name, own fields and the usage flag are changed', () => {
    const body = { messages: [{ role: 'user', content: 'Hi' }], unknown: { deep: [1] }, max_tokens: 9 }
    const ours = { model: 'x-ai/grok-4', models: ['a/b'], provider: {}, session_id: 's', preset: 'p', trace: {} }
    const stream_options = { include_usage: true }
    assert.deepEqual(passed({ ...body, ...ours }), { ...body, model: 'grok-4', stream: true, stream_options })
  })

  test('a request for a whole response has no stream options', () => {
    const { body } = encoded(openaiChat, 'grok-4', { stream_options: { include_usage: true } }, false)
    assert.deepEqual([body.stream, body.stream_options], [false, undefined])
  })

  test('reasoning options become an effort, unless the client set one', () => {
    assert.equal(passed({ reasoning: { effort: 'high', summary: 'auto' } }).reasoning_effort, 'high')
    assert.equal(passed({ reasoning: { enabled: false } }).reasoning_effort, 'none')
    assert.equal(passed({ reasoning: { max_tokens: 1000 } }).reasoning_effort, 'low')
    assert.equal(passed({ reasoning: { effort: 'high' } }).reasoning, undefined)
    assert.deepEqual(passed({ reasoning: {}, reasoning_effort: 'low' }).reasoning_effort, 'low')
  })

  test('the limit has the name that the model knows', () => {
    const limit = (endpoint: Endpoint, limits: object) => {
      const { max_tokens, max_completion_tokens } = encoded(openaiChat, endpoint, limits).body
      return [max_tokens, max_completion_tokens]
    }
    for (const limits of [{ max_completion_tokens: 9 }, { max_tokens: 9 }]) {
      assert.deepEqual(limit(endpointFor('mistral-large'), limits), [9, undefined])
      assert.deepEqual(limit(endpointFor('gpt-5-mini'), limits), [undefined, 9])
      const knowing = endpointFor('my-deployment', { supportedParameters: ['max_completion_tokens'] })
      assert.deepEqual(limit(knowing, limits), [undefined, 9])
    }
  })

  test('signed details are sent back to their provider only', () => {
    const own = { type: 'reasoning.text', text: 'Hm', signature: 's', format: 'anthropic-claude-v1' }
    const sent = (details: object[]) => passed({ messages: weatherCall({ reasoning_details: details }) }).messages
    assert.deepEqual(sent([own]), weatherCall({ reasoning_details: [own] }))
    assert.deepEqual(sent([{ ...own, id: 'native' }]), weatherCall())
  })

  test('reasoning is sent back to its model under its original name', () => {
    const thought = (by: string) => ({ type: 'reasoning.text', text: 'Hm', field: 'reasoning_content', by })
    const sent = (by: string) => passed({ messages: weatherCall({ reasoning_details: [thought(by)] }) }).messages[1]
    assert.equal(sent('test/grok-4').reasoning_content, 'Hm')
    assert.equal(sent('test/grok-3').reasoning_content, undefined)
  })
})

test('a server that refuses options of a stream gets none', () => {
  const optionsFor = (provider: string) => encoded(openaiChat, endpointFor('m', { provider }), {}).body.stream_options
  assert.deepEqual([optionsFor('mistral'), optionsFor('groq')], [undefined, { include_usage: true }])
})
