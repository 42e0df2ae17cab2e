import assert from 'node:assert/strict'
import { test } from 'node:test'
import { blendedPrice, logScalePosition, logTicks, paretoFront } from './pareto.ts'

test('paretoFront returns the Pareto front', () => {
  const points = [
    { id: 'expensive and bad', price: 10, score: 20 },
    { id: 'best', price: 8, score: 60 },
    { id: 'cheapest', price: 1, score: 30 },
    { id: 'same price, worse', price: 1, score: 10 },
    { id: 'same score, more expensive', price: 9, score: 60 },
  ]
  assert.deepEqual(
    paretoFront(points).map(({ id }) => id),
    ['cheapest', 'best'],
  )
})

test('blendedPrice weights prompt tokens with 75 %', () => {
  assert.equal(blendedPrice({ prompt: '0.000002', completion: '0.00001' }).toFixed(6), '4.000000')
})

test('logScalePosition is logarithmic', () => {
  assert.equal(logScalePosition(10, [1, 100]), 0.5)
  assert.deepEqual(logTicks([0.5, 200]), [1, 10, 100])
  assert.deepEqual(logTicks([0.9, 6]), [1, 2, 5])
})
