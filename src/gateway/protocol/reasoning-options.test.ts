import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chooseEffort, computeReasoningBudget, readReasoningOptions } from './reasoning-options.ts'

const settingOf = (options: object) => readReasoningOptions({ model: 'a/b', messages: [], ...options } as never)
const setting = (more: { effort?: string; budgetTokens?: number }) =>
  ({ enabled: true, effort: undefined, budgetTokens: undefined, ...more }) as const

test('reasoning options are read from several fields', () => {
  assert.equal(settingOf({}), undefined)
  assert.equal(settingOf({ reasoning: {} }), undefined)
  for (const off of [
    { reasoning: { enabled: false } },
    { reasoning: { effort: 'none' } },
    { reasoning_effort: 'none' },
  ])
    assert.deepEqual(settingOf(off), { enabled: false })
  assert.deepEqual(settingOf({ reasoning: { enabled: true } }), setting({}))
  assert.deepEqual(settingOf({ reasoning_effort: 'low' }), setting({ effort: 'low' }))
  assert.deepEqual(settingOf({ reasoning: { effort: 'high' }, reasoning_effort: 'low' }), setting({ effort: 'high' }))
  assert.deepEqual(settingOf({ reasoning: { max_tokens: 9 } }), setting({ budgetTokens: 9 }))
})

test('an effort is a share of the response, at least the minimum', () => {
  const shares = ['minimal', 'low', 'medium', 'high', 'xhigh', 'max'].map((effort) =>
    computeReasoningBudget(setting({ effort }), 20_000),
  )
  assert.deepEqual(shares, [2000, 4000, 10_000, 16_000, 19_000, 19_000])
  assert.equal(computeReasoningBudget(setting({}), 20_000), 10_000)
  for (const effort of ['unheard-of', 'constructor'])
    assert.equal(computeReasoningBudget(setting({ effort }), 20_000), 10_000)
  assert.equal(computeReasoningBudget(setting({ effort: 'low' }), 1000), 1024)
  assert.equal(computeReasoningBudget(setting({ effort: 'low', budgetTokens: 7 }), 20_000), 7)
})

test('a budget is converted to an effort', () => {
  const efforts = [2048, 2049, 8192, 8193].map((budgetTokens) => chooseEffort(setting({ budgetTokens })))
  assert.deepEqual(efforts, ['low', 'medium', 'medium', 'high'])
  assert.deepEqual(
    [chooseEffort(setting({})), chooseEffort(setting({ effort: 'xhigh', budgetTokens: 1 }))],
    ['medium', 'xhigh'],
  )
})
