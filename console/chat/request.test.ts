import assert from 'node:assert/strict'
import { test } from 'node:test'
import { emptyReply } from '../components/reply/reply.ts'
import { buildRequest, fieldsOf, modelsFromQuery, noSettings, type Turn } from './request.ts'

const turn = (id: number, text: string, replies: Record<string, string> = {}): Turn => ({
  id,
  text,
  images: [],
  replies: Object.fromEntries(Object.entries(replies).map(([model, text]) => [model, { ...emptyReply, text }])),
})

test('buildRequest sends a model its own responses, not those of other models', () => {
  const turns = [turn(1, 'Hi', { a: 'I am a', b: 'I am b' }), turn(2, 'Only b', { b: 'Yes' })]
  const { messages } = buildRequest('a', {
    turns,
    turn: turn(3, 'Continue'),
    earlierMessages: [],
    settings: noSettings,
  })
  assert.deepEqual(
    messages.map(({ content }) => content),
    ['Hi', 'I am a', 'Continue'],
  )
})

test('buildRequest omits empty settings', () => {
  assert.deepEqual(fieldsOf(noSettings), {})
  const settings = { ...noSettings, system: 'Be short.', temperature: '0', additionalFields: '{"seed": 7}' }
  const sent = buildRequest('a', { turns: [], turn: turn(1, 'Hi'), earlierMessages: [], settings })
  assert.deepEqual([sent.temperature, sent.seed, sent.top_p, sent.messages[0]?.content], [0, 7, undefined, 'Be short.'])
})

test('fieldsOf rejects additional fields that are not a JSON object', () => {
  assert.throws(() => fieldsOf({ ...noSettings, additionalFields: '[1]' }), /Additional fields must be a JSON object/)
  assert.throws(() => fieldsOf({ ...noSettings, additionalFields: '{' }), /Additional fields: /)
})

test('buildRequest sends images as parts of the message', () => {
  const withImage = { ...turn(1, 'What is it?'), images: ['data:image/png;base64,AA'] }
  const { messages } = buildRequest('a', { turns: [], turn: withImage, earlierMessages: [], settings: noSettings })
  assert.deepEqual(messages[0]?.content, [
    { type: 'text', text: 'What is it?' },
    { type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } },
  ])
})

test('modelsFromQuery returns at most four models, without duplicates', () => {
  assert.deepEqual(modelsFromQuery('a/1,b/2,a/1,@preset/c,d/4,e/5'), ['a/1', 'b/2', '@preset/c', 'd/4'])
  assert.deepEqual(modelsFromQuery(undefined), [])
})
