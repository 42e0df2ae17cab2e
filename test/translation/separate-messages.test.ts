import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openaiResponses } from '#gateway/providers/openai-responses/openai-responses.ts'

const text = (text: string, annotations: object[] = []) => ({ type: 'output_text', text, annotations })
const message = (id: string, ...content: object[]) => ({ type: 'message', id, role: 'assistant', content })
const cited = { type: 'url_citation', url: 'https://example.com', title: 'E', start_index: 0, end_index: 4 }
const output = [message('a', text('Let me look.')), message('b', text('Rome', [cited]), text(' is old.'))]
const response = { id: 'r', model: 'm', status: 'completed', output }
const citation = { type: 'citation', url: 'https://example.com', title: 'E', start: 14, end: 18 }

const textOf = (events: { type: string; text?: string }[]) =>
  events.map((event) => (event.type === 'text' ? event.text : '')).join('')

test('two messages of a whole response are two paragraphs', () => {
  const events = openaiResponses.readBody(response) as { type: string; text?: string }[]
  assert.equal(textOf(events), 'Let me look.\n\nRome is old.')
  assert.deepEqual(
    events.filter(({ type }) => type === 'citation'),
    [citation],
  )
})

test('two messages of a stream are two paragraphs, wherever their text comes', () => {
  const added = output.map((item, output_index) => ({
    type: 'response.output_item.added',
    output_index,
    item: { ...item, content: [] },
  }))
  const done = output.map((item, output_index) => ({ type: 'response.output_item.done', output_index, item }))
  const delta = (output_index: number, content_index: number, delta: string) => ({
    type: 'response.output_text.delta',
    ...{ output_index, content_index, delta },
  })
  const deltas = [
    [delta(0, 0, 'Let me '), delta(0, 0, 'look.')],
    [delta(1, 0, ''), delta(1, 0, 'Rome'), delta(1, 1, ' is old.')],
  ]
  const end = { type: 'response.completed', response }
  for (const events of [
    [added[0], ...deltas[0]!, done[0], added[1], ...deltas[1]!, done[1], end],
    [added[0], done[0], added[1], done[1], end],
  ]) {
    const read = openaiResponses.createReader()
    const received = events.flatMap((event) => read({ data: JSON.stringify(event) } as never)) as { type: string }[]
    assert.equal(textOf(received), 'Let me look.\n\nRome is old.')
    assert.deepEqual(
      received.filter(({ type }) => type === 'citation'),
      [citation],
    )
  }
})
