import assert from 'node:assert/strict'
import { test } from 'node:test'
import { displayWidth } from './display-width.ts'
import { table } from './table.ts'

test('a column is aligned by the width of its characters in a terminal', () => {
  const rows = [
    ['日本 太郎', 'a'],
    ['Ünï', 'b'],
    ['e\u0301 👍', 'c'],
  ]
  const cells = ['NAME       X', '日本 太郎  a', 'Ünï        b', 'e\u0301 👍       c']
  assert.equal(table(['NAME', 'X'], rows), cells.join('\n'))
  assert.deepEqual(['', 'ab', '…', '한국어', 'ｱ'].map(displayWidth), [0, 2, 1, 6, 1])
})
