import assert from 'node:assert/strict'
import { test } from 'node:test'
import { JsonSource } from '#platform/json/json-text/json-source.ts'
import { endpointFor } from '#test/harness/upstream/endpoints/encode-request.ts'
import { encodeBody } from '../protocol/encoded-body.ts'
import type { ProviderProtocol } from '../protocol/provider-protocol.ts'
import type { Body } from '../protocol/request-body.ts'
import { anthropicMessages } from './anthropic/anthropic-messages.ts'
import { openaiChat } from './openai-chat/openai-chat.ts'
import { openaiResponses } from './openai-responses/openai-responses.ts'

const longText = 'x'.repeat(20_000)
const messages = [{ role: 'user', content: longText }]
const thought = { type: 'reasoning', encrypted_content: '', summary: [] }
const ours = { models: ['a/b'], provider: { order: ['x'] }, session_id: 's', user: 'u' }
const bodies: [ProviderProtocol, Body][] = [
  [openaiChat, { model: 'a/b', messages, max_tokens: 5, stream: true }],
  [anthropicMessages, { model: 'a/b', messages, max_tokens: 5, system: 'Be brief.', reasoning: { effort: 'low' } }],
  [openaiResponses, { model: 'a/b', input: messages, max_output_tokens: 5, reasoning: { enabled: false } }],
  [openaiResponses, { model: 'a/b', instructions: longText }],
  [openaiResponses, { model: 'a/b', input: [...messages, thought], instructions: longText }],
]

for (const [protocol, body] of bodies) {
  test(`${protocol.protocol}: a long body passes as bytes equal to the rewritten body`, () => {
    const text = JSON.stringify({ ...ours, ...body })
    const bytes = Buffer.from(text)
    const given = JSON.parse(text) as Body
    const target = { endpoint: endpointFor('some-model'), credential: 'secret', stream: true }
    // The client's fields for this service are removed before.
    const { user: _own, ...ownBody } = given
    const rewritten = JSON.parse(String(encodeBody(protocol.passThrough!(ownBody, target)!)))
    const pieces = encodeBody(protocol.passThrough!(ownBody, target, new JsonSource(given, bytes, text))!)
    assert.ok(Array.isArray(pieces))
    assert.ok(pieces.some(({ buffer, length }) => buffer === bytes.buffer && length >= longText.length))
    assert.deepEqual(JSON.parse(Buffer.concat(pieces).toString()), rewritten)
    for (const name in ours) assert.ok(!(name in rewritten), name)
  })
}
