import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shorterAnswers } from './shorter-answer.ts'

const request = { model: 'm', messages: [{ role: 'user' as const, content: 'hello' }] }
/** The price is one picodollar per token, and an answer has at most 5,000 tokens. */
const costOf = ({ chat }: { chat: { max_tokens?: number | null } }) => BigInt(Math.min(5000, chat.max_tokens ?? 5000))
const costs = (chat: typeof request & object, body: object = chat) =>
  [...shorterAnswers({ chat, body: body as never }, 5000n, costOf as never)].map(({ cost }) => Number(cost))

test('ever shorter answers are tried that cost less than the longest', () => {
  assert.deepEqual(costs(request), [4000, 2000, 1000])
  const [first] = shorterAnswers({ chat: request, body: request }, 5000n, costOf as never)
  assert.deepEqual(first?.request.chat, { ...request, max_tokens: 4000 })
  assert.equal(first?.request.body, first?.request.chat)
})

test('the body of another protocol is limited with its chat request', () => {
  const [first] = shorterAnswers({ chat: request, body: { input: 'hello' } }, 5000n, costOf as never)
  assert.deepEqual([first?.request.chat.max_tokens, first?.request.body], [4000, { input: 'hello', max_tokens: 4000 }])
})

test('a limit in the request is unchanged, under any of its names', () => {
  assert.deepEqual(costs({ ...request, max_tokens: 4500 } as never), [])
  assert.deepEqual(costs({ ...request, max_completion_tokens: 4500 } as never), [])
  assert.deepEqual(costs(request, { input: 'hello', max_output_tokens: 4500 }), [])
  assert.deepEqual(costs({ ...request, max_tokens: null } as never), [4000, 2000, 1000])
})
