import assert from 'node:assert/strict'
import { test } from 'node:test'
import { effortOf, thinkingBudgetOf, thinkingSetting } from './reasoning-budget.ts'

const setting = (said: object) => thinkingSetting({ model: 'a/b', messages: [], ...said } as never)
const told = (more: { effort?: string; budgetTokens?: number }) =>
  ({ enabled: true, effort: undefined, budgetTokens: undefined, ...more }) as const

test('a request says whether to think, and how much, in one of several fields', () => {
  assert.equal(setting({}), undefined)
  assert.equal(setting({ reasoning: {} }), undefined)
  for (const off of [
    { reasoning: { enabled: false } },
    { reasoning: { effort: 'none' } },
    { reasoning_effort: 'none' },
  ])
    assert.deepEqual(setting(off), { enabled: false })
  assert.deepEqual(setting({ reasoning: { enabled: true } }), told({}))
  assert.deepEqual(setting({ reasoning_effort: 'low' }), told({ effort: 'low' }))
  assert.deepEqual(setting({ reasoning: { effort: 'high' }, reasoning_effort: 'low' }), told({ effort: 'high' }))
  assert.deepEqual(setting({ reasoning: { max_tokens: 9 } }), told({ budgetTokens: 9 }))
})

test('an effort is a share of the answer, and no less than a provider takes', () => {
  const shares = ['minimal', 'low', 'medium', 'high', 'xhigh', 'max'].map((effort) =>
    thinkingBudgetOf(told({ effort }), 20_000),
  )
  assert.deepEqual(shares, [2000, 4000, 10_000, 16_000, 19_000, 19_000])
  assert.equal(thinkingBudgetOf(told({}), 20_000), 10_000)
  assert.equal(thinkingBudgetOf(told({ effort: 'unheard-of' }), 20_000), 10_000)
  assert.equal(thinkingBudgetOf(told({ effort: 'low' }), 1000), 1024)
  assert.equal(thinkingBudgetOf(told({ effort: 'low', budgetTokens: 7 }), 20_000), 7)
})

test('a budget amounts to an effort where a protocol knows nothing else', () => {
  const efforts = [2048, 2049, 8192, 8193].map((budgetTokens) => effortOf(told({ budgetTokens })))
  assert.deepEqual(efforts, ['low', 'medium', 'medium', 'high'])
  assert.deepEqual([effortOf(told({})), effortOf(told({ effort: 'xhigh', budgetTokens: 1 }))], ['medium', 'xhigh'])
})
