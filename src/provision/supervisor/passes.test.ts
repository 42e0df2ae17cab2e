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

test('a request at the very end of a pass is answered by one more pass', async () => {
  for (let ticks = 0; ticks < 10; ticks++) {
    let begun = 0
    let end = () => {}
    const passes = new Passes(() => {
      begun++
      return new Promise((resolve) => (end = resolve))
    })
    void passes.request('a')
    end()
    for (let tick = 0; tick < ticks; tick++) await null
    void passes.request('a')
    await new Promise(setImmediate)
    assert.equal(begun, 2, `${ticks} ticks after it`)
  }
})
