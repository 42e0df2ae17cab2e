import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { googleGemini } from '../../providers/gemini/google-gemini.ts'
import { writeCompletion } from './completion.ts'
import { createChatWriter } from './writer.ts'

const head = { id: 'gen-1', model: 'a/b', provider: 'A', createdSeconds: 1 }
const samples = Buffer.from([1, 0, 2, 0])
const response = {
  candidates: [
    {
      content: {
        parts: [{ inlineData: { mimeType: 'audio/L16;codec=pcm;rate=16000', data: samples.toString('base64') } }],
      },
      finishReason: 'STOP',
    },
  ],
}
const events = googleGemini.readBody(response)
const speechFor = (audio: object) =>
  (writeCompletion({ ...head, request: { audio } }, events, undefined) as any).choices[0].message.audio

describe('speech of Gemini for clients of chats', () => {
  test('a whole response is a WAV file', () => {
    const { id, data, transcript } = speechFor({ format: 'wav' })
    const file = Buffer.from(data, 'base64')
    assert.deepEqual([id, transcript], ['audio_gen-1', ''])
    assert.deepEqual([file.toString('latin1', 0, 4), file.toString('latin1', 8, 16)], ['RIFF', 'WAVEfmt '])
    assert.deepEqual([file.readUInt32LE(4), file.readUInt32LE(24), file.readUInt32LE(40)], [file.length - 8, 16_000, 4])
    assert.deepEqual(file.subarray(44), samples)
  })

  test('a client that asks for samples gets them', () => {
    assert.deepEqual(Buffer.from(speechFor({ format: 'pcm16' }).data, 'base64'), samples)
  })

  test('a stream has samples', () => {
    const text = events.map(createChatWriter(head, { includeUsage: true }).event).join('')
    const audio = { id: 'audio_gen-1', data: samples.toString('base64') }
    assert.ok(text.includes(JSON.stringify({ audio })), text)
  })
})
