import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ResponseCounter } from './response-counter.ts'
import { TokenPace } from './token-pace.ts'

test('tokens are distributed by bytes, and an empty interval has none', () => {
  const pace = new TokenPace(40)
  pace.add(100, 20)
  pace.add(320, 40)
  assert.deepEqual(pace.toNote(10), { everyMs: 100, tokens: [4, 2, 0, 4] })
})

test('a response of any length has at most 24 intervals, and no token is lost', () => {
  const arbitraryPieces = fc.array(fc.tuple(fc.nat(600_000), fc.nat(1000)), { minLength: 1, maxLength: 300 })
  fc.assert(
    fc.property(arbitraryPieces, fc.integer({ min: 1, max: 5000 }), (pieces, tokens) => {
      const pace = new TokenPace(1)
      for (const [ms, bytes] of pieces.toSorted(([a], [b]) => a - b)) pace.add(ms, bytes)
      const { everyMs, tokens: intervals } = pace.toNote(tokens)!
      assert.ok(intervals.length <= 24)
      assert.equal(
        intervals.reduce((sum, each) => sum + each, 0),
        tokens,
      )
      const last = Math.max(...pieces.map(([ms]) => ms))
      assert.ok(intervals.length * everyMs > last && everyMs <= Math.max(100, (last / 24) * 2 + 200))
    }),
  )
})

test('a response longer than one interval has a pace', () => {
  const clock = { now: 1000 }
  const counter = new ResponseCounter(() => clock.now)
  for (const text of ['aaaa', 'bbbb', 'cccc']) {
    counter.count([{ type: 'text', text }])
    if (text === 'aaaa') assert.equal(counter.paceOf(3), undefined)
    clock.now += 70
  }
  assert.deepEqual(counter.paceOf(3), { everyMs: 100, tokens: [2, 1] })
})
