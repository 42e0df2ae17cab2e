import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CompletionEvent } from '#chat/events.ts'
import { createResponsesRewriter } from './rewriter.ts'

const part = { type: 'output_text', annotations: [], text: 'Hi' }
const item = { type: 'message', id: 'm', role: 'assistant', content: [part] }
const head = { id: 'gen-1', model: 'a/b', createdSeconds: 1 }
const eventOf = (event: object) => Buffer.from(`data: ${JSON.stringify(event)}\n\n`)
const outputOf = (output: object[]) => {
  const { rewriteEvent } = createResponsesRewriter(head)
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

const { annotations: _annotations, ...plainPart } = part
const plainItem = { ...item, content: [plainPart] }

test('the texts of events get annotations if they have none', () => {
  for (const event of [
    { type: 'response.output_item.done', item: plainItem },
    { type: 'response.content_part.done', part: plainPart },
    { type: 'response.completed', response: { output: [plainItem] } },
  ]) {
    const written = createResponsesRewriter(head).rewriteEvent(eventOf(event)).toString()
    assert.ok(written.includes(JSON.stringify(part)), written)
  }
})

test('a parameter of a tool named annotations does not count as that of a text', () => {
  const tools = [{ type: 'function', name: 'tag', parameters: { type: 'object', properties: { annotations: {} } } }]
  const event = { type: 'response.completed', response: { output: [plainItem], tools } }
  const written = createResponsesRewriter(head).rewriteEvent(eventOf(event)).toString()
  assert.ok(written.includes(JSON.stringify(part)), written)
})

test('a whole response gets annotations and all counts of its usage', () => {
  const body = { id: 'r', output: [plainItem], usage: { input_tokens: 5, output_tokens: 1 } }
  const written = JSON.parse(createResponsesRewriter(head).rewriteWhole(JSON.stringify(body), body, []))
  assert.deepEqual(written.output, [item])
  const details = { input_tokens_details: { cached_tokens: 0 }, output_tokens_details: { reasoning_tokens: 0 } }
  assert.deepEqual(written.usage, { ...body.usage, ...details, total_tokens: 6 })
})

test('a repaired call of a truncated response is incomplete', () => {
  const { rewriteEvent } = createResponsesRewriter(head)
  const call = { type: 'function_call', id: 'fc', call_id: 'c', name: 'f', arguments: '{"a":', status: 'incomplete' }
  const events: CompletionEvent[] = [
    { type: 'tool_call', index: 0, id: 'c', name: 'f' },
    { type: 'tool_arguments', index: 0, text: '{"a":' },
  ]
  // The index starts at 1, so the call is repaired.
  rewriteEvent(eventOf({ type: 'response.output_item.added', output_index: 1, item: call }), events)
  const response = { id: 'r', status: 'incomplete', output: [call] }
  const text = rewriteEvent(eventOf({ type: 'response.incomplete', response })).toString()
  const statuses = [...text.matchAll(/^data: (.*)$/gm)].flatMap(([, data]) => {
    const { item: done, response: last } = JSON.parse(data!)
    return done?.status ?? last?.output[0].status ?? []
  })
  assert.deepEqual(statuses, ['incomplete', 'incomplete'])
})

test('settings that clients refuse as null are removed or get the default', () => {
  const nulls = { text: null, store: null, tools: null, tool_choice: null, parallel_tool_calls: null }
  const body = { id: 'r', status: 'completed', output: [item], ...nulls }
  const { rewriteEvent, rewriteWhole } = createResponsesRewriter(head)
  const event = rewriteEvent(eventOf({ type: 'response.completed', response: body })).toString()
  for (const response of [
    JSON.parse(rewriteWhole(JSON.stringify(body), body, [])),
    JSON.parse(event.slice('data: '.length)).response,
  ]) {
    assert.partialDeepStrictEqual(response, { tools: [], tool_choice: 'auto', parallel_tool_calls: true })
    assert.deepEqual(['text' in response, 'store' in response], [false, false])
  }
})
