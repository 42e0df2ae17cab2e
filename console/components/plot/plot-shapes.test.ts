import assert from 'node:assert/strict'
import { test } from 'node:test'
import { areaShape, isEmptyData, lineShape, stackedTops } from './plot-shapes.ts'

const x = (time: number) => time * 10
const y = (value: number) => 100 - value

test('stackedTops stacks lines', () => {
  const lines = [
    { label: 'a', values: [1, 2] },
    { label: 'b', values: [10, null] },
  ]
  assert.deepEqual(stackedTops(lines, true), [
    [1, 2],
    [11, 2],
  ])
  assert.deepEqual(stackedTops(lines, false)[1], [10, null])
})

test('lineShape joins known values, and marks the points only of short lines', () => {
  const { path, points } = lineShape([1, null, 3], [0, 1, 2], x, y)
  assert.equal(path, 'M0.0 99.0L20.0 97.0')
  assert.equal(points.length, 2)
  assert.equal(lineShape(Array(30).fill(1), [...Array(30).keys()], x, y).points.length, 0)
})

test('areaShape draws steps to the end', () => {
  assert.equal(areaShape([5, 7], [0, 1], 2, x, y).path, 'M0.0 100.0V95.0H10.0V93.0H20.0V100.0Z')
})

test('isEmptyData is true without values or with zero amounts only', () => {
  const of = (...values: (number | null)[]) => [
    { label: 'a', values: [null] },
    { label: 'b', values },
  ]
  assert.deepEqual(
    [isEmptyData([], false), isEmptyData(of(null), false), isEmptyData(of(0), false)],
    [true, true, false],
  )
  assert.deepEqual([isEmptyData(of(0, null), true), isEmptyData(of(0, 1), true)], [true, false])
})
