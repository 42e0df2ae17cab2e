import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChatRequest } from '#chat/chat-request.ts'
import { encoded, endpointFor } from '#test/harness/upstream/endpoints/encode-request.ts'
import { anthropicMessages } from './anthropic/anthropic-messages.ts'
import { googleGemini } from './gemini/google-gemini.ts'
import { openaiChat } from './openai-chat/openai-chat.ts'
import { openaiResponses } from './openai-responses/openai-responses.ts'

test('a schema directly in the response format reaches every protocol', () => {
  const schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'], additionalProperties: false }
  for (const type of ['json_schema', 'json_object']) {
    const chat = { response_format: { type, schema } } as unknown as Partial<ChatRequest>
    const bodyOf = (protocol: Parameters<typeof encoded>[0], model: string) => encoded(protocol, model, chat).body
    assert.deepEqual(bodyOf(anthropicMessages, 'claude-sonnet-4-5').output_config.format.schema, schema)
    assert.deepEqual(bodyOf(googleGemini, 'gemini-3-pro').generationConfig.responseJsonSchema, schema)
    assert.deepEqual(bodyOf(openaiResponses, 'gpt-5').text.format.schema, schema)
    const openai = encoded(openaiChat, endpointFor('gpt-5', { provider: 'openai' }), chat).body.response_format
    assert.deepEqual([openai.type, openai.json_schema.schema], ['json_schema', schema])
  }
})
