import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changeText } from '#daemon/acp/change-text.ts'
import { diffContent } from './updates.ts'

const shownOf = (before: string | null, after: string) =>
  diffContent({ path: 'a.c', diff: changeText({ path: 'a.c', before, after }) })

test('lines that look like the head of a change are shown to whoever consents', () => {
  const evil = ['++ i; system("evil")', '-- i', '@@ x', '++', '--'].join('\n')
  assert.deepEqual(shownOf(null, evil), { type: 'diff', path: 'a.c', oldText: null, newText: evil })
  assert.deepEqual(shownOf(evil, 'one'), { type: 'diff', path: 'a.c', oldText: evil, newText: 'one' })
  assert.deepEqual(shownOf('one', evil), { type: 'diff', path: 'a.c', oldText: 'one', newText: evil })
})
