import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shorterAnswers } from './shorter-answer.ts'

const asked = { model: 'm', messages: [{ role: 'user' as const, content: 'hello' }] }
/** A picodollar a token, of 5,000 at the most. */
const costOf = ({ chat }: { chat: { max_tokens?: number | null } }) => BigInt(Math.min(5000, chat.max_tokens ?? 5000))
const costs = (chat: typeof asked & object, body: object = chat) =>
  [...shorterAnswers({ chat, body: body as never }, 5000n, costOf as never)].map(({ cost }) => Number(cost))

test('ever shorter answers are tried that cost less than the longest', () => {
  assert.deepEqual(costs(asked), [4000, 2000, 1000])
  const [first] = shorterAnswers({ chat: asked, body: asked }, 5000n, costOf as never)
  assert.deepEqual(first?.asked.chat, { ...asked, max_tokens: 4000 })
  assert.equal(first?.asked.body, first?.asked.chat)
})

test('the body of another protocol is limited with its chat request', () => {
  const [first] = shorterAnswers({ chat: asked, body: { input: 'hello' } }, 5000n, costOf as never)
  assert.deepEqual([first?.asked.chat.max_tokens, first?.asked.body], [4000, { input: 'hello', max_tokens: 4000 }])
})

test('a limit of its own is kept, by any of its names', () => {
  assert.deepEqual(costs({ ...asked, max_tokens: 4500 } as never), [])
  assert.deepEqual(costs({ ...asked, max_completion_tokens: 4500 } as never), [])
  assert.deepEqual(costs(asked, { input: 'hello', max_output_tokens: 4500 }), [])
  assert.deepEqual(costs({ ...asked, max_tokens: null } as never), [4000, 2000, 1000])
})
