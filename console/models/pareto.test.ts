import assert from 'node:assert/strict'
import { test } from 'node:test'
import { blendedPrice, frontOf, logMarks, logPlace } from './pareto.ts'

test('the front has those to which no other is better and as cheap', () => {
  const points = [
    { id: 'dear and bad', price: 10, good: 20 },
    { id: 'best', price: 8, good: 60 },
    { id: 'cheapest', price: 1, good: 30 },
    { id: 'as cheap, worse', price: 1, good: 10 },
    { id: 'as good, dearer', price: 9, good: 60 },
  ]
  assert.deepEqual(
    frontOf(points).map(({ id }) => id),
    ['cheapest', 'best'],
  )
})

test('a price is told of a million tokens, three of four in the prompt', () => {
  assert.equal(blendedPrice({ prompt: '0.000002', completion: '0.00001' }).toFixed(6), '4.000000')
})

test('ten times the price is as far from one as a hundred times from ten', () => {
  assert.equal(logPlace(10, [1, 100]), 0.5)
  assert.deepEqual(logMarks([0.5, 200]), [1, 10, 100])
  assert.deepEqual(logMarks([0.9, 6]), [1, 2, 5])
})
