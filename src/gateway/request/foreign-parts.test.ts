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

test('parts of chats and unknown parts stay the same object', () => {
  const body = {
    messages: [{ role: 'user', content: [image, pdf, audio, { type: 'media' }, { type: 'text', text: 'x' }] }],
  }
  assert.equal(withChatParts(body), body)
})

test('the word of Mistral for a required call is that of chats', () => {
  assert.deepEqual(withChatToolChoice({ tool_choice: 'any' }), { tool_choice: 'required' })
})
