import assert from 'node:assert/strict'
import { test } from 'node:test'
import { styleRule } from './style-rule.ts'

test('names of style properties become CSS names, and custom properties stay', () => {
  const style = { minHeight: '2rem', WebkitLineClamp: 2, color: 'red', '--rowHeight': '1rem', width: undefined }
  assert.equal(styleRule(style), 'min-height:2rem;-webkit-line-clamp:2;color:red;--rowHeight:1rem')
})
