import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TextPosition } from './text-position.ts'

test('a citation is placed within its own text part', () => {
  const place = new TextPosition()
  place.startPart()
  place.addText('One. ')
  assert.deepEqual(place.toPartPosition({ url: 'u' }), { start_index: 0, end_index: 5 })
  place.startPart()
  place.addText('Two. ')
  place.addText('Three.')
  assert.deepEqual(place.toPartPosition({ url: 'u' }), { start_index: 0, end_index: 11 })
  assert.deepEqual(place.toPartPosition({ url: 'u', start: 10, end: 16 }), { start_index: 5, end_index: 11 })
  assert.deepEqual(place.toPartPosition({ url: 'u', start: 1, end: 7 }), { start_index: 0, end_index: 2 })
})
