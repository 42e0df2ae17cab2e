import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cutMiddle, truncateText } from './truncate.ts'

test('cut text has whole characters, and all of them if they fit', () => {
  for (const most of [1, 2, 3, 4, 5])
    assert.equal(truncateText('a🚂🚂', most), 'a🚂🚂'.slice(0, most - ((most + 1) % 2)), `${most}`)
  for (const tail of [0, 1, 2, 3]) {
    const cut = cutMiddle('🚂'.repeat(10), 9, tail, (units) => `${units} left`)
    const [begin = '', mark = '', end = ''] = cut.split('\n')
    assert.ok(cut.isWellFormed())
    assert.equal(mark, `[… ${20 - begin.length - end.length} left …]`)
    assert.equal(end.length, tail + (tail % 2))
  }
  assert.equal(cutMiddle('short', 5, 1, String), 'short')
})
