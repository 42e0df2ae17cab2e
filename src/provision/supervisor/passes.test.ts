import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Passes } from './passes.ts'

test('several requests during a pass cause one more pass after it', async () => {
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
  const started: string[] = []
  const passes = new Passes((id) => {
    started.push(id)
    return new Promise(() => {})
  })
  void passes.request('a')
  void passes.request('b')
  assert.deepEqual(started, ['a', 'b'])
})

test('a request at the end of a pass causes one more pass', async () => {
  for (let ticks = 0; ticks < 10; ticks++) {
    let passCount = 0
    let end = () => {}
    const passes = new Passes(() => {
      passCount++
      return new Promise((resolve) => (end = resolve))
    })
    void passes.request('a')
    end()
    for (let tick = 0; tick < ticks; tick++) await null
    void passes.request('a')
    await new Promise(setImmediate)
    assert.equal(passCount, 2, `${ticks} ticks after it`)
  }
})
