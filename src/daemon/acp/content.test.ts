import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readContentText } from './content.ts'

test('text is read from a block, a list of blocks and a plain string', () => {
  assert.equal(readContentText({ type: 'text', text: 'a' }), 'a')
  assert.equal(readContentText([{ type: 'text', text: 'a' }, { type: 'future' }, { type: 'text', text: 'b' }]), 'ab')
  assert.equal(readContentText('a'), 'a')
  for (const empty of ['', [], [{ type: 'text', text: '' }], { type: 'future' }, null])
    assert.equal(readContentText(empty), undefined)
})
