import assert from 'node:assert/strict'
import { test } from 'node:test'
import { budgetOf, effortOf, thinkingWish } from './reasoning-budget.ts'

const wish = (said: object) => thinkingWish({ model: 'a/b', messages: [], ...said } as never)
const told = (more: { effort?: string; budgetTokens?: number }) =>
  ({ enabled: true, effort: undefined, budgetTokens: undefined, ...more }) as const

test('a request says whether to think, and how much, in one of several fields', () => {
  assert.equal(wish({}), undefined)
  assert.equal(wish({ reasoning: {} }), undefined)
  for (const off of [
    { reasoning: { enabled: false } },
    { reasoning: { effort: 'none' } },
    { reasoning_effort: 'none' },
  ])
    assert.deepEqual(wish(off), { enabled: false })
  assert.deepEqual(wish({ reasoning: { enabled: true } }), told({}))
  assert.deepEqual(wish({ reasoning_effort: 'low' }), told({ effort: 'low' }))
  assert.deepEqual(wish({ reasoning: { effort: 'high' }, reasoning_effort: 'low' }), told({ effort: 'high' }))
  assert.deepEqual(wish({ reasoning: { max_tokens: 9 } }), told({ budgetTokens: 9 }))
})

test('an effort is a share of the answer, and no less than a provider takes', () => {
  const shares = ['minimal', 'low', 'medium', 'high', 'xhigh', 'max'].map((effort) =>
    budgetOf(told({ effort }), 20_000),
  )
  assert.deepEqual(shares, [2000, 4000, 10_000, 16_000, 19_000, 19_000])
  assert.equal(budgetOf(told({}), 20_000), 10_000)
  assert.equal(budgetOf(told({ effort: 'unheard-of' }), 20_000), 10_000)
  assert.equal(budgetOf(told({ effort: 'low' }), 1000), 1024)
  assert.equal(budgetOf(told({ effort: 'low', budgetTokens: 7 }), 20_000), 7)
})

test('a budget amounts to an effort where a protocol knows nothing else', () => {
  const efforts = [2048, 2049, 8192, 8193].map((budgetTokens) => effortOf(told({ budgetTokens })))
  assert.deepEqual(efforts, ['low', 'medium', 'medium', 'high'])
  assert.deepEqual([effortOf(told({})), effortOf(told({ effort: 'xhigh', budgetTokens: 1 }))], ['medium', 'xhigh'])
})
