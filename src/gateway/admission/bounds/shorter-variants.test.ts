import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BodiesWithProtocol } from '../../pricing/extra-usage-bound.ts'
import { shorterVariants } from './shorter-variants.ts'

const request = { model: 'm', messages: [{ role: 'user' as const, content: 'hello' }] }
/** The price is one picodollar per token, and a response has at most 5,000 tokens. */
const costOf = ({ chat }: { chat: { max_tokens?: number | null } }) => BigInt(Math.min(5000, chat.max_tokens ?? 5000))
const variantsOf = (bodies: BodiesWithProtocol) => [
  ...shorterVariants({ request: bodies, maxCost: 5000n }, costOf as never),
]
const costs = (chat: typeof request & object, body: object = chat) =>
  variantsOf({ chat, body: body as never }).map(({ maxCost }) => Number(maxCost))

test('ever shorter responses are tried that cost less than the longest', () => {
  assert.deepEqual(costs(request), [4000, 2000, 1000])
  const [first] = variantsOf({ chat: request, body: request })
  assert.deepEqual(first?.request.chat, { ...request, max_tokens: 4000 })
  assert.equal(first?.request.body, first?.request.chat)
})

test('the body of another protocol is limited with its chat request', () => {
  const [first] = variantsOf({ chat: request, body: { input: 'hello' } })
  assert.deepEqual([first?.request.chat.max_tokens, first?.request.body], [4000, { input: 'hello', max_tokens: 4000 }])
})

test('a limit in the request is unchanged, under any of its names', () => {
  assert.deepEqual(costs({ ...request, max_tokens: 4500 } as never), [])
  assert.deepEqual(costs({ ...request, max_completion_tokens: 4500 } as never), [])
  assert.deepEqual(costs(request, { input: 'hello', max_output_tokens: 4500 }), [])
  assert.deepEqual(costs({ ...request, max_tokens: null } as never), [4000, 2000, 1000])
})
