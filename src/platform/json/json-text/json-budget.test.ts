import assert from 'node:assert/strict'
import { test } from 'node:test'
import { JsonBudget } from './json-budget.ts'

const list = (item: string, count: number) => `[${Array(count).fill(item).join(',')}]`
const members = (count: number) => `{${Array.from({ length: count }, (_, i) => `"name${i}":"some value"`).join(',')}}`

test('any text of up to 256 KiB can be parsed', () => {
  const text = list('{}', 87_000)
  assert.ok(text.length < 256 * 1024)
  assert.ok(new JsonBudget().take(text))
})

test('later texts can be parsed until they have 100,000 parts together', () => {
  const budget = new JsonBudget()
  budget.take(' '.repeat(256 * 1024))
  assert.ok(budget.take(list('{}', 25_000)))
  assert.ok(budget.take(list('1', 49_000)))
  assert.equal(budget.take(list('1', 2000)), false)
  assert.equal(budget.take('{}'), false)
})

test('an object of more than 20,000 members exceeds the budget', () => {
  assert.ok(new JsonBudget().take(members(20_000)))
  assert.equal(new JsonBudget().take(members(20_001)), false)
})

test('a long string counts as one part', () => {
  const budget = new JsonBudget()
  for (const content of ['{"a":[1,2]},\n', '\\"{,'])
    assert.ok(budget.take(`{"path":"x","content":${JSON.stringify(content.repeat(100_000))}}`))
})
