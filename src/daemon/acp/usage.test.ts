import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readUpdate } from './update.ts'
import { computeTurnCost, readUsage } from './usage.ts'

const rows: [usage: object, prompt: number, completion: number, total: number][] = [
  [{ inputTokens: 10, outputTokens: 5, totalTokens: 15 }, 10, 5, 15],
  [{ inputTokens: 10, outputTokens: 5 }, 10, 5, 15],
  [{ inputTokens: 10, outputTokens: 5, totalTokens: 15, thoughtTokens: 3 }, 10, 5, 15],
  [{ inputTokens: 10, outputTokens: 5, totalTokens: 18, thoughtTokens: 3 }, 10, 8, 18],
  [{ inputTokens: 10, outputTokens: 5, totalTokens: 35, cachedReadTokens: 20 }, 30, 5, 35],
  [{ inputTokens: 10, outputTokens: 5, totalTokens: 38, cachedReadTokens: 20, thoughtTokens: 3 }, 30, 8, 38],
  [{ inputTokens: 10, outputTokens: 5, totalTokens: 1 }, 10, 5, 15],
]
for (const [usage, prompt, completion, total] of rows) {
  test(`${JSON.stringify(usage)} is ${prompt} and ${completion} tokens, ${total} in all`, () => {
    const read = readUsage({ usage }, undefined)
    assert.deepEqual([read?.prompt_tokens, read?.completion_tokens, read?.total_tokens], [prompt, completion, total])
  })
}

test('an agent that reports no tokens, or nonsense, reports no usage', () => {
  for (const usage of [undefined, {}, { inputTokens: 1 }, { inputTokens: -1, outputTokens: 2 }, 'many']) {
    assert.equal(readUsage({ usage }, 1), null)
  }
})

test('a cost is the increase of the session’s cost, also after a reset', () => {
  assert.equal(computeTurnCost(0.1, 0.3), 0.2)
  assert.equal(computeTurnCost(0.3, 0.1), 0.1)
  assert.equal(computeTurnCost(0.3, undefined), undefined)
})

test('an infinite cost is ignored, because no reader accepts its JSON', () => {
  const update = JSON.parse('{"sessionUpdate":"usage_update","cost":{"amount":1e999,"currency":"USD"}}')
  assert.deepEqual(readUpdate(update), { type: 'ignored' })
})
