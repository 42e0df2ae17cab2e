import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endpointFor } from '#test/harness/upstream/endpoints/encode-request.ts'
import { dataUrl, png as pngBytes, wav, wavData, wavFormat } from '#test/harness/upstream/media.ts'
import type { Body } from '../../protocol/request-body.ts'
import { promptBound } from './prompt-bound.ts'

const long = 'word '.repeat(20_000)
const picture = dataUrl('image/png', pngBytes(500, 500, [], 75_000))
const user = { role: 'user', content: 'Hi' }
const contextLength = 1_000_000
const most = (body: Body, model = 'claude-sonnet-4-5') =>
  promptBound(body, endpointFor(model, { contextLength })).tokens
const plain = most({ model: 'a/b', messages: [user] })
const part = (one: object, model?: string) => most({ messages: [{ role: 'user', content: [one] }] }, model) - 1000

test('a small prompt counts as little more than its bytes', () => {
  assert.ok(plain > 1026 && plain < 1070, `${plain}`)
})

test('text counts in each position that a provider can read', () => {
  const bodies: Record<string, object> = {
    schema: { messages: [user], response_format: { type: 'json_schema', json_schema: { description: long } } },
    format: { input: 'Hi', text: { format: { type: 'json_schema', schema: { description: long } } } },
    functions: { messages: [user], functions: [{ name: 'f', description: long }] },
    prediction: { messages: [user], prediction: { type: 'content', content: long } },
    unknown: { messages: [user], documents: [{ text: long }] },
    name: { messages: [{ ...user, name: long }] },
    reasoning: { messages: [user, { role: 'assistant', content: 'Hm', reasoning: long }] },
    reasoning_content: { messages: [user, { role: 'assistant', content: 'Hm', reasoning_content: long }] },
    call: { messages: [user, { role: 'assistant', tool_calls: [{ function: { name: 'f', arguments: long } }] }] },
    instructions: { instructions: long, input: 'Hi' },
    input: { input: long },
    'unknown item': { input: [{ type: 'custom_tool_call_output', call_id: 'c', output: long }] },
    'part of an item': { input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: long }] }] },
    key: { messages: [user], tools: [{ type: 'function', function: { parameters: { properties: { [long]: {} } } } }] },
  }
  for (const [name, body] of Object.entries(bodies)) {
    const tokens = most(body as Record<string, unknown>) - 1000
    assert.ok(tokens >= long.length && tokens < long.length + 1000, `${name}: ${tokens}`)
  }
})

test('text next to, instead of and within media counts as text', () => {
  for (const one of [
    { type: 'image_url', image_url: { url: picture }, caption: long },
    { type: 'document', source: { type: 'text', media_type: 'text/plain', data: long } },
    { type: 'file', file: { file_data: dataUrl('text/plain', Buffer.from(long)) } },
    { type: 'tool_result', content: [{ type: 'text', text: long }] },
  ])
    assert.ok(part(one) >= long.length && part(one) < 1.4 * long.length + 6000, JSON.stringify(one).slice(0, 40))
})

test('an image counts by its pixels, at the rate of its model', () => {
  const png = (width: number, height: number) => ({
    type: 'image_url',
    image_url: { url: dataUrl('image/png', pngBytes(width, height)) },
  })
  const tokens = (model: string, width: number, height: number) =>
    part(png(width, height), model) - part({ type: 'text' })
  const within = (found: number, least: number) => assert.ok(found >= least && found < least + 100, `${found}`)
  within(tokens('gpt-4o-mini', 512, 512), 8500)
  within(tokens('gpt-4o-mini', 2048, 2048), 48_169)
  within(tokens('claude-sonnet-4-5', 4000, 3000), 5000)
  within(tokens('gemini-2.5-pro', 4000, 3000), 6192)
  within(tokens('any-other', 1024, 1024), 5476)
  within(tokens('any-other', 10, 10), 1600)
})

test('a remote image counts as the maximum, an unbounded part as the context', () => {
  const elsewhere = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } }
  for (const one of [
    elsewhere,
    { type: 'input_image', file_id: 'file-1' },
    { type: 'input_image', image_url: picture },
  ])
    assert.ok(part(one) >= 5000 && part(one) < 5300, JSON.stringify(one).slice(0, 60))
  assert.equal(part(elsewhere, 'any-other'), contextLength - 1000)
  for (const one of [
    { type: 'file', file: { file_data: picture.replace('image/png', 'application/pdf') } },
    { type: 'file', file: { file_id: 'file-1' } },
    { type: 'input_audio', input_audio: { data: 'A'.repeat(100_000), format: 'ogg' } },
    { type: 'unknown', words: 'Hi' },
    { type: 'video_url', video_url: { url: 'data:video/mp4;base64,AAAA' } },
  ])
    assert.equal(part(one), contextLength - 1000, JSON.stringify(one).slice(0, 60))
})

test('every part counts, audio by its bytes if they bound its length', () => {
  const image = { type: 'image', source: { type: 'base64', data: picture } }
  const two = part({ type: 'tool_result', content: [image, image] })
  assert.ok(two >= 10_000 && two < 10_300, `${two}`)
  const drawn = most({ input: [{ type: 'image_generation_call', id: 'ig_1', result: picture }] })
  assert.ok(drawn >= 6000 && drawn < 6300)
  const sound = wav([wavFormat(), wavData(120_000)]).toString('base64')
  const audioTokens = part({ type: 'input_audio', input_audio: { data: sound, format: 'wav' } })
  assert.ok(audioTokens >= 7500 && audioTokens < 7800, `${audioTokens}`)
})

test('fields for this service, and fields that no model reads, do not count', () => {
  const beside = { provider: { order: [long] }, models: [long], metadata: { a: long }, logit_bias: { 1: 1 }, user: 'u' }
  assert.equal(most({ model: 'a/b', messages: [user], ...beside }), plain)
})
