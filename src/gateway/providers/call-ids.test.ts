import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CompletionEvent } from '#chat/events.ts'
import { createChatRewriter } from '../clients/chat/passthrough/rewriter.ts'
import { googleGemini } from './gemini/google-gemini.ts'
import { openaiChat } from './openai-chat/openai-chat.ts'
import { openaiResponses } from './openai-responses/openai-responses.ts'

const readCallLimit = (events: CompletionEvent[]) => events.flatMap((one) => (one.type === 'tool_call' ? [one.id] : []))

/** Answers with two calls each, from servers that send ids neither for calls nor for the response. */
const unnamed = {
  'google-gemini': (responseId: string) => {
    const parts = [{ functionCall: { name: 'f' } }, { functionCall: { name: 'g' } }]
    return googleGemini.readBody({ candidates: [{ content: { parts }, finishReason: 'STOP' }] }, { responseId })
  },
  'openai-chat': (responseId: string) => {
    const tool_calls = [{ function: { name: 'f' } }, { function: { name: 'g' } }]
    return openaiChat.readBody({ choices: [{ message: { tool_calls } }] }, { responseId })
  },
  'openai-responses': (responseId: string) => {
    const output = ['f', 'g'].map((name) => ({ type: 'function_call', name, arguments: '{}' }))
    return openaiResponses.readBody({ output }, { responseId })
  },
}

for (const [protocol, read] of Object.entries(unnamed))
  test(`${protocol}: generated call ids are unique within and across responses`, () => {
    const ids = ['gen-1', 'gen-2'].flatMap((responseId) => readCallLimit(read(responseId)))
    assert.equal(new Set(ids).size, 4)
    assert.deepEqual(readCallLimit(read('gen-1')), ids.slice(0, 2))
    assert.ok(readCallLimit(read(`gen-${'x'.repeat(100)}`)).every((id) => id.length <= 40))
  })

test('a call has the same id in passed-through bytes and in events', () => {
  const choices = [{ index: 0, message: { tool_calls: [{ function: { name: 'f', arguments: '' } }] } }]
  const head = { id: 'gen-1', model: 'a/b', createdSeconds: 5 }
  const events = openaiChat.readBody({ choices }, { responseId: 'gen-1' })
  const bytes = createChatRewriter(head).rewriteWhole(JSON.stringify({ choices }), { choices }, events)
  const [id] = readCallLimit(events)
  assert.equal(JSON.parse(bytes).choices[0].message.tool_calls[0].id, id)
})
