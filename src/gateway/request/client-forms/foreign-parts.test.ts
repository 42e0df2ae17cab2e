import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withChatToolChoice } from './chat-tool-choice.ts'
import { withChatParts } from './foreign-parts.ts'

const partsOf = (...content: object[]) =>
  (withChatParts({ messages: [{ role: 'user', content }] }) as { messages: { content: object[] }[] }).messages[0]!
    .content
const url = 'data:image/png;base64,AAAA'
const image = { type: 'image_url', image_url: { url } }
const pdf = { type: 'file', file: { file_data: 'data:application/pdf;base64,AAAA', filename: 'a.pdf' } }
const audio = { type: 'input_audio', input_audio: { data: 'AAAA', format: 'mp3' } }

test('images with their media type beside the data become images of chats', () => {
  for (const part of [
    { type: 'image', base64: 'AAAA', mime_type: 'image/png' },
    { type: 'image', source_type: 'base64', data: 'AAAA', mime_type: 'image/png' },
    { type: 'image', url },
    { type: 'media', mime_type: 'image/png', data: 'AAAA' },
    { type: 'image', inlineData: { mimeType: 'image/png', data: 'AAAA' } },
    { type: 'file', mediaType: 'image/png', data: 'AAAA' },
  ])
    assert.deepEqual(partsOf(part), [image])
})

test('files and audio with their media type beside the data become those of chats', () => {
  const file = { type: 'file', base64: 'AAAA', mime_type: 'application/pdf', filename: 'a.pdf' }
  assert.deepEqual(partsOf(file), [pdf])
  for (const part of [
    { type: 'audio', base64: 'AAAA', mime_type: 'audio/mpeg' },
    { type: 'media', data: 'AAAA', mime_type: 'audio/mp3' },
    { type: 'audio_url', audio_url: { url: 'data:audio/mpeg;base64,AAAA' } },
  ])
    assert.deepEqual(partsOf(part), [audio])
})

test('a PDF that a client sends as an image becomes a file', () => {
  const file_data = 'data:application/pdf;base64,AAAA'
  for (const part of [
    { type: 'image_url', image_url: { url: file_data } },
    { type: 'image_url', image_url: file_data },
    { type: 'input_image', image_url: file_data },
    { type: 'image', source: { type: 'base64', media_type: 'application/pdf', data: 'AAAA' } },
  ])
    assert.deepEqual(partsOf(part), [{ type: 'file', file: { file_data } }])
})

test('parts of chats and unknown parts stay the same object', () => {
  const body = {
    messages: [{ role: 'user', content: [image, pdf, audio, { type: 'media' }, { type: 'text', text: 'x' }] }],
  }
  assert.equal(withChatParts(body), body)
})

test('Mistral’s word for a required call becomes that of chats', () => {
  assert.deepEqual(withChatToolChoice({ tool_choice: 'any' }), { tool_choice: 'required' })
})

const use = { type: 'tool_use', id: 'a', name: 'read', input: { path: 'x' } }
const call = { id: 'a', type: 'function', function: { name: 'read', arguments: '{"path":"x"}' } }

test('calls and results of Anthropic among the parts become those of chats', () => {
  const result = { type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: 'r' }], is_error: true }
  const messages = [
    { role: 'assistant', content: [{ type: 'text', text: 'x' }, use] },
    { role: 'user', content: [result, { type: 'text', text: 'y' }] },
  ]
  assert.deepEqual(withChatParts({ messages }).messages, [
    { role: 'assistant', content: [{ type: 'text', text: 'x' }], tool_calls: [call] },
    { role: 'tool', tool_call_id: 'a', content: [{ type: 'text', text: 'r' }], is_error: true },
    { role: 'user', content: [{ type: 'text', text: 'y' }] },
  ])
})

test('a call that is in both forms is sent once', () => {
  const messages = [{ role: 'assistant', content: [use], tool_calls: [call] }]
  assert.deepEqual(withChatParts({ messages }).messages, [{ role: 'assistant', content: null, tool_calls: [call] }])
})

test('a very long data URL without data is read in little time', () => {
  const startedAt = performance.now()
  const long = `data:audio/${'a'.repeat(1_000_000)}`
  assert.deepEqual(partsOf({ type: 'input_audio', input_audio: long }), [
    { type: 'audio_url', audio_url: { url: long } },
  ])
  // Quadratic work takes over a minute.
  assert.ok(performance.now() - startedAt < 10_000)
})
