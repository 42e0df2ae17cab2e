import assert from 'node:assert/strict'
import { test } from 'node:test'
import { appendChunk, type Chunk, emptyReply, finishReply, tokensPerSecond } from './reply.ts'

const piece = (delta: object): Chunk => ({ choices: [{ delta }] })

test('appendChunk merges text, reasoning and tool calls', () => {
  const chunks = [
    piece({ reasoning: 'Hm' }),
    piece({ content: 'Hello ' }),
    piece({ content: 'you', tool_calls: [{ index: 0, function: { name: 'look', arguments: '{"a"' } }] }),
    piece({ tool_calls: [{ index: 0, function: { arguments: ':1}' } }] }),
  ]
  const { text, reasoning, calls } = chunks.reduce((reply, chunk) => appendChunk(reply, chunk, 1), emptyReply)
  assert.deepEqual(
    { text, reasoning, calls },
    {
      text: 'Hello you',
      reasoning: 'Hm',
      calls: [{ name: 'look', input: '{"a":1}' }],
    },
  )
})

test('tokensPerSecond counts from the first chunk with content', () => {
  let reply = appendChunk(emptyReply, piece({ role: 'assistant', content: '' }), 100)
  reply = appendChunk(reply, piece({ content: 'a' }), 500)
  reply = appendChunk(reply, { choices: [], usage: { prompt_tokens: 3, completion_tokens: 20, cost: 0.5 } }, 900)
  reply = finishReply(reply, 1500)
  assert.equal(reply.firstMs, 500)
  assert.equal(tokensPerSecond(reply), 20)
  assert.equal(reply.usage?.cost, 0.5)
})

test('appendChunk keeps the text when the stream reports an error', () => {
  const broken = appendChunk(
    appendChunk(emptyReply, piece({ content: 'Half' }), 1),
    { error: { message: 'It broke.' } },
    2,
  )
  assert.deepEqual(
    [finishReply(broken, 3).state, broken.text, broken.failure?.message],
    ['failed', 'Half', 'It broke.'],
  )
})
