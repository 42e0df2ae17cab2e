import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChatRequest } from '#chat/chat-request.ts'
import { endpointFor } from '#test/harness/upstream/endpoints/encode-request.ts'
import { messagesToChat } from '../../clients/messages/request/to-chat.ts'
import type { Candidate } from '../../plan/plan.ts'
import { compressPrompt } from './compress-prompt.ts'

/** The conversation that is sent if the largest context has this many tokens. */
function fitted(messages: object[], contextLength: number, chat = { messages } as unknown as ChatRequest): any {
  const endpoints = [10, contextLength].map((size) => endpointFor('m', { contextLength: size }))
  return compressPrompt({ messages }, 'messages', chat, [{ endpoints } as unknown as Candidate])?.messages
}
const user = (content: string) => ({ role: 'user', content })
const long = 'x'.repeat(400)

test('a fitting prompt is unchanged', () => assert.equal(fitted([user('Hi')], 1000), undefined))

test('whole turns are dropped from the middle; first and last stay', () => {
  const messages = [
    { role: 'system', content: 'Be brief.' },
    ...['first', 'second', 'third', 'fourth', 'last'].flatMap((name) => [
      user(`${name} ${long}`),
      { role: 'assistant', content: `to ${name}` },
    ]),
  ]
  const remaining = fitted(messages, 450) as { content: string }[]
  const begin = remaining.map(({ content }) => content.split(' ').slice(0, 2).join(' '))
  assert.equal(begin[0], 'Be brief.')
  assert.ok(begin.at(-1) === 'to last' && remaining.at(-2)!.content === `last ${long}`, begin.join())
  assert.ok(remaining.length < messages.length && remaining.length >= 5, begin.join())
  assert.equal(remaining.length % 2, 1)
})

test('the middle of a long text is removed, and instructions stay', () => {
  const [system, only] = fitted([{ role: 'system', content: long }, user(`begin ${long.repeat(5)} end`)], 400)
  assert.equal(system.content, long)
  assert.ok(only.content.length < 1700 && only.content.length > 200, String(only.content.length))
  assert.match(only.content, /^begin x/)
  assert.match(only.content, /x end$/)
})

test('a long turn in the middle is shortened', () => {
  const messages = [
    user('first'),
    { role: 'assistant', content: 'one' },
    user('read the file'),
    { role: 'assistant', content: 'w '.repeat(30_000) },
    user('last'),
  ]
  const size = JSON.stringify(fitted(messages, 8_000)).length
  assert.ok(size > 10_000 && size < 16_000, `${size} characters`)
})

test('a prompt of short words is measured in words', () => {
  const [only] = fitted([user('7 '.repeat(15_000))], 8_000)
  assert.ok(only.content.split(' ').length < 8_000, `${only.content.split(' ').length} words`)
})

test('an image counts by its tokens, not by the length of its data', () => {
  const url = `data:image/png;base64,${'iVBORw0KGgo'.repeat(40_000)}`
  const image = { role: 'user', content: [{ type: 'image_url', image_url: { url } }] }
  const [long, response] = [user('w '.repeat(6000)), { role: 'assistant', content: 'w '.repeat(6000) }]
  const middle = fitted([long, response, image, { role: 'assistant', content: 'a' }, long, user('last')], 8_000)
  const words = JSON.stringify(middle).split('w ').length
  assert.ok(words > 4_000 && words < 8_000, `${words} words`)
})

test('long texts in the arguments of calls are shortened, and the arguments stay JSON', () => {
  const input = { path: 'a.txt', lines: ['word '.repeat(15_000)] }
  const result = { role: 'tool', tool_call_id: 'c1', content: 'ok' }
  const call = { id: 'c1', type: 'function', function: { name: 'write', arguments: JSON.stringify(input) } }
  const chat = fitted(
    [user('Hi'), { role: 'assistant', content: null, tool_calls: [call] }, result, user('And?')],
    8_000,
  )
  const { path, lines } = JSON.parse(chat[1].tool_calls[0].function.arguments)
  assert.equal(path, 'a.txt')
  assert.ok(lines[0].split(' ').length < 8_000, lines[0].length)
  const use = { type: 'tool_use', id: 'c1', name: 'write', input }
  const messages = [user('Hi'), { role: 'assistant', content: [use] }, user('And?')]
  const blocks = fitted(messages, 8_000, messagesToChat({ messages }))
  assert.ok(blocks[1].content[0].input.lines[0].split(' ').length < 8_000)
})
