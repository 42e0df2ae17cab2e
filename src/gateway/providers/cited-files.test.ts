import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { CompletionEvent } from '#chat/events.ts'
import { writeCompletion } from '../clients/chat/completion.ts'
import { toCitation } from '../clients/messages/response/message.ts'
import { anthropicMessages } from './anthropic/anthropic-messages.ts'
import { googleGemini } from './gemini/google-gemini.ts'
import { openaiChat } from './openai-chat/openai-chat.ts'
import { openaiResponses } from './openai-responses/openai-responses.ts'

const cited = (events: CompletionEvent[]) => events.filter(({ type }) => type === 'citation')

describe('sources without a URL', () => {
  const file = { id: 'file_1', name: 'a.pdf', index: 2 }

  test('a request document that Anthropic cites is read as a file', () => {
    const location = { type: 'page_location', document_index: 0, start_page_number: 1, end_page_number: 2 }
    const cite = (more: object) => {
      const citations = [{ ...location, cited_text: 'q', ...more }]
      return cited(anthropicMessages.readBody({ content: [{ type: 'text', text: 'Yes', citations }] }))[0]
    }
    const shared = { type: 'citation', quote: 'q', start: 0, end: 3 }
    const named = { id: 'document_0', name: 'a.pdf', index: 0 }
    assert.deepEqual(cite({ document_title: 'a.pdf' }), { ...shared, file: named })
    assert.deepEqual(cite({ document_title: null }), { ...shared, file: { ...named, name: 'document 1' } })
  })

  test('files that OpenAI and Gemini cite from their stores are read as files', () => {
    const annotations = [{ type: 'file_citation', file_id: 'file_1', filename: 'a.pdf', index: 2 }]
    const output = [{ type: 'message', content: [{ type: 'output_text', text: 'Yes', annotations }] }]
    assert.deepEqual(cited(openaiResponses.readBody({ output })), [{ type: 'citation', file }])
    const groundingMetadata = { groundingChunks: [{ retrievedContext: { title: 'a.pdf', text: 'q' } }] }
    const candidate = { content: { parts: [{ text: 'Yes' }] }, groundingMetadata, finishReason: 'STOP' }
    const expected = { type: 'citation', file: { id: 'a.pdf', name: 'a.pdf', index: 0 }, quote: 'q' }
    assert.deepEqual(cited(googleGemini.readBody({ candidates: [candidate] })), [expected])
  })

  test('cited files are search results for Anthropic clients only', () => {
    const { type, source, title } = toCitation({ file }) as Record<string, unknown>
    assert.deepEqual([type, source, title], ['search_result_location', 'file_1', 'a.pdf'])
    const events: CompletionEvent[] = [
      { type: 'text', text: 'Yes' },
      { type: 'citation', file },
    ]
    const response = writeCompletion({ id: 'g', model: 'a/b', createdSeconds: 5 }, events, undefined)
    assert.ok(!('annotations' in (response as any).choices[0].message))
  })
})

test('sources next to the message are read once, with titles', () => {
  const search_results = [{ title: 'A', url: 'https://a.example', date: null }]
  const sources = { citations: ['https://a.example', 'https://b.example'], search_results }
  const expected = [
    { type: 'citation', url: 'https://a.example', title: 'A' },
    { type: 'citation', url: 'https://b.example' },
  ]
  const whole = openaiChat.readBody({ ...sources, choices: [{ message: { content: 'Yes' }, finish_reason: 'stop' }] })
  const read = openaiChat.createReader()
  const chunk = JSON.stringify({ ...sources, choices: [{ delta: { content: 'Yes' } }] })
  const pieces = [1, 2].flatMap(() => read({ event: undefined, data: chunk, raw: Buffer.alloc(0) }))
  for (const events of [whole, pieces]) assert.deepEqual(cited(events), expected)
})
