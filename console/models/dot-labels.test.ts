import assert from 'node:assert/strict'
import { test } from 'node:test'
import { placeLabels } from './dot-labels.ts'

const wide = { left: 0, right: 1000 }
const placesOf = (dots: Parameters<typeof placeLabels>[0], within = wide) =>
  placeLabels(dots, within).map(
    ({ name, y, isLeft }) => `${name} ${isLeft ? 'left' : 'right'} ${y < 100 ? 'above' : 'below'}`,
  )

test('placeLabels puts labels to the right, or to the left at the edge', () => {
  assert.deepEqual(placesOf([{ name: 'one', x: 500, y: 100 }]), ['one right above'])
  assert.deepEqual(placesOf([{ name: 'one', x: 995, y: 100 }]), ['one left above'])
})

test('placeLabels avoids overlaps and omits labels without room', () => {
  const near = ['first', 'second', 'third', 'fourth', 'fifth'].map((name) => ({ name, x: 500, y: 100 }))
  assert.deepEqual(placesOf(near), ['first right above', 'second left above', 'third right below', 'fourth left below'])
})

test('placeLabels avoids other dots', () => {
  const dots = [
    { name: 'first', x: 500, y: 100 },
    { name: 'second', x: 520, y: 92 },
  ]
  assert.deepEqual(placesOf(dots)[0], 'first left above')
})
