import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Passes } from './passes.ts'

test('what is requested during a pass makes one more pass after it, however many asked', async () => {
  const gates: (() => void)[] = []
  const passes = new Passes(() => new Promise((resolve) => void gates.push(resolve)))
  const first = passes.request('a')
  assert.equal(passes.request('a'), first)
  void passes.request('a')
  gates[0]!()
  await new Promise(setImmediate)
  assert.equal(gates.length, 2)
  gates[1]!()
  await first
  assert.equal(gates.length, 2)
  assert.deepEqual([...passes.ids()], [])
})

test('passes of different ids do not wait for each other', () => {
  const begun: string[] = []
  const passes = new Passes((id) => {
    begun.push(id)
    return new Promise(() => {})
  })
  void passes.request('a')
  void passes.request('b')
  assert.deepEqual(begun, ['a', 'b'])
})
