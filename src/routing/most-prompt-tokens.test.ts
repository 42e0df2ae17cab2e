import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mostPromptTokens } from './most-prompt-tokens.ts'

const long = 'word '.repeat(20_000)
const picture = `data:image/png;base64,${'A'.repeat(100_000)}`
const user = { role: 'user', content: 'Hi' }
const plain = mostPromptTokens({ model: 'a/b', messages: [user] })
const part = (one: object) => mostPromptTokens({ messages: [{ role: 'user', content: [one] }] })

test('a small prompt counts as little more than its bytes', () => {
  assert.ok(plain > 2 && plain < 60, `${plain}`)
})

test('text counts wherever a provider may see it', () => {
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
    const tokens = mostPromptTokens(body as Record<string, unknown>)
    assert.ok(tokens >= long.length && tokens < long.length + 1000, `${name}: ${tokens}`)
  }
})

test('text beside, instead of and within media counts as text', () => {
  for (const one of [
    { type: 'image_url', image_url: { url: picture }, caption: long },
    { type: 'unknown', words: long },
    { type: 'document', source: { type: 'text', media_type: 'text/plain', data: long } },
    { type: 'file', file: { file_data: `data:text/plain;base64,${long}` } },
    { type: 'tool_result', content: [{ type: 'text', text: long }] },
  ])
    assert.ok(part(one) >= long.length && part(one) < long.length + 5000, JSON.stringify(one).slice(0, 40))
})

test('a part that is no text counts as 4,096, whatever its size and whatever text it claims to have', () => {
  for (const one of [
    { type: 'image_url', image_url: { url: picture } },
    { type: 'image_url', text: '', image_url: { url: picture } },
    { type: 'input_image', image_url: picture },
    { type: 'input_image', file_id: 'file-1' },
    { type: 'input_audio', input_audio: { data: 'A'.repeat(100_000), format: 'wav' } },
    { type: 'file', file: { file_data: `data:application/pdf;base64,${picture}` } },
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: picture } },
  ])
    assert.ok(part(one) >= 4096 && part(one) < 4300, `${JSON.stringify(one).slice(0, 60)}: ${part(one)}`)
  const two = {
    type: 'tool_result',
    content: Array(2).fill({ type: 'image', source: { type: 'base64', data: picture } }),
  }
  assert.ok(part(two) >= 8192 && part(two) < 8500)
  const drawn = mostPromptTokens({ input: [{ type: 'image_generation_call', id: 'ig_1', result: picture }] })
  assert.ok(drawn >= 4096 && drawn < 4300)
})

test('what is meant for this service, and what no model reads, does not count', () => {
  const beside = { provider: { order: [long] }, models: [long], metadata: { a: long }, logit_bias: { 1: 1 }, user: 'u' }
  assert.equal(mostPromptTokens({ model: 'a/b', messages: [user], ...beside }), plain)
})
