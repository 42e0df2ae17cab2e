import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Endpoint } from '#catalogue/index/model.ts'
import { JsonSource } from '#platform/json/json-source.ts'
import { encoded, endpointFor, weatherCall } from '#test/harness/upstream/encode-request.ts'
import { openaiChat } from './openai-chat.ts'

/** The body for the upstream: written anew, and the same where the client's own bytes are at hand. */
const passed = (body: object) => {
  const target = { endpoint: endpointFor('grok-4'), credential: 'secret', stream: true }
  const bytes = Buffer.from(JSON.stringify(body))
  const given = JSON.parse(bytes.toString())
  const anew = JSON.parse(String(openaiChat.passThrough!(given, target).writeBody()))
  const source = new JsonSource(given, bytes, bytes.toString())
  const pieces = openaiChat.passThrough!(given, target, source).writeBody()
  assert.ok(Array.isArray(pieces))
  assert.deepEqual(JSON.parse(Buffer.concat(pieces).toString()), anew)
  return anew
}

describe('openai-chat, requests', () => {
  test('only the model is renamed, what is ours taken out, and usage asked for', () => {
    const body = { messages: [{ role: 'user', content: 'Hi' }], unknown: { deep: [1] }, max_tokens: 9 }
    const ours = { model: 'x-ai/grok-4', models: ['a/b'], provider: {}, session_id: 's', preset: 'p', trace: {} }
    const stream_options = { include_usage: true }
    assert.deepEqual(passed({ ...body, ...ours }), { ...body, model: 'grok-4', stream: true, stream_options })
  })

  test('a whole answer is asked for without stream options, which would be refused', () => {
    const { body } = encoded(openaiChat, 'grok-4', { stream_options: { include_usage: true } }, false)
    assert.deepEqual([body.stream, body.stream_options], [false, undefined])
  })

  test('the words of this service about reasoning become an effort; a client\u2019s own effort stays', () => {
    assert.equal(passed({ reasoning: { effort: 'high', summary: 'auto' } }).reasoning_effort, 'high')
    assert.equal(passed({ reasoning: { enabled: false } }).reasoning_effort, 'none')
    assert.equal(passed({ reasoning: { max_tokens: 1000 } }).reasoning_effort, 'low')
    assert.equal(passed({ reasoning: { effort: 'high' } }).reasoning, undefined)
    assert.deepEqual(passed({ reasoning: {}, reasoning_effort: 'low' }).reasoning_effort, 'low')
  })

  test('a limit has the name that the model knows, whichever the client used', () => {
    const limit = (endpoint: Endpoint, asked: object) => {
      const { max_tokens, max_completion_tokens } = encoded(openaiChat, endpoint, asked).body
      return [max_tokens, max_completion_tokens]
    }
    for (const asked of [{ max_completion_tokens: 9 }, { max_tokens: 9 }]) {
      assert.deepEqual(limit(endpointFor('mistral-large'), asked), [9, undefined])
      assert.deepEqual(limit(endpointFor('gpt-5-mini'), asked), [undefined, 9])
      const knowing = endpointFor('my-deployment', { supportedParameters: ['max_completion_tokens'] })
      assert.deepEqual(limit(knowing, asked), [undefined, 9])
    }
  })

  test('signed thoughts that a provider said in details go back to it, and those that were translated do not', () => {
    const own = { type: 'reasoning.text', text: 'Hm', signature: 's', format: 'anthropic-claude-v1' }
    const sent = (details: object[]) => passed({ messages: weatherCall({ reasoning_details: details }) }).messages
    assert.deepEqual(sent([own]), weatherCall({ reasoning_details: [own] }))
    assert.deepEqual(sent([{ ...own, id: 'native' }]), weatherCall())
  })

  test('a thought goes back to the model that said it under the name that it had, and to no other', () => {
    const thought = (by: string) => ({ type: 'reasoning.text', text: 'Hm', field: 'reasoning_content', by })
    const sent = (by: string) => passed({ messages: weatherCall({ reasoning_details: [thought(by)] }) }).messages[1]
    assert.equal(sent('test/grok-4').reasoning_content, 'Hm')
    assert.equal(sent('test/grok-3').reasoning_content, undefined)
  })
})
