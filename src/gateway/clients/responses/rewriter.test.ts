import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createResponsesRewriter } from './rewriter.ts'

const item = { type: 'message', id: 'm', role: 'assistant', content: [{ type: 'output_text', text: 'Hi' }] }
const eventOf = (event: object) => Buffer.from(`data: ${JSON.stringify(event)}\n\n`)
const outputOf = (output: object[]) => {
  const { rewriteEvent } = createResponsesRewriter({ id: 'gen-1', model: 'a/b', createdSeconds: 1 })
  rewriteEvent(eventOf({ type: 'response.output_item.done', output_index: 0, item }))
  const raw = rewriteEvent(eventOf({ type: 'response.completed', response: { id: 'r', status: 'completed', output } }))
  return JSON.parse(raw.toString().slice('data: '.length)).response.output
}

test('a response without its items at the end gets those of the stream', () => {
  assert.deepEqual(outputOf([]), [item])
})

test('a response with its items keeps them', () => {
  const other = { ...item, id: 'other' }
  assert.deepEqual(outputOf([other]), [other])
})
