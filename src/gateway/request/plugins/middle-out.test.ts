import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChatRequest } from '#chat/chat-request.ts'
import { endpointFor } from '#test/harness/upstream/encode-request.ts'
import type { Candidate } from '../../plan/plan.ts'
import { middleOut } from './middle-out.ts'

/** The conversation that is sent if the largest context has this many tokens. */
function fitted(messages: object[], contextLength: number): any {
  const chat = { messages } as unknown as ChatRequest
  const endpoints = [10, contextLength].map((size) => endpointFor('m', { contextLength: size }))
  return middleOut({ messages }, 'messages', chat, [{ endpoints } as unknown as Candidate])?.messages
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
