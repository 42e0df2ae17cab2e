import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatChange } from '#daemon/acp/tool-calls/change-text.ts'
import { diffContents } from './updates.ts'

const shownOf = (before: string | null, after: string) =>
  diffContents({ path: 'a.c', diff: formatChange({ path: 'a.c', before, after }) })
const diff = (oldText: string | null, newText: string) => ({ type: 'diff', path: 'a.c', oldText, newText })

test('diffContents keeps lines that look like a hunk header', () => {
  const evil = ['++ i; system("evil")', '-- i', '@@ x', '\\ No', '++', '--'].join('\n')
  assert.deepEqual(shownOf(null, evil), [diff(null, evil)])
  assert.deepEqual(shownOf(evil, 'one'), [diff(evil, 'one')])
  assert.deepEqual(shownOf('one', `${evil}\n`), [diff('one', `${evil}\n`)])
})

test('diffContents returns one pair for each hunk', () => {
  const lines = Array.from({ length: 100 }, (_, at) => `${at}\n`)
  const [first, last] = shownOf(lines.join(''), ['x\n', ...lines.slice(1, -1)].join(''))
  assert.deepEqual(first, diff('0\n1\n2\n3', 'x\n1\n2\n3'))
  assert.deepEqual(last, diff('96\n97\n98\n99', '96\n97\n98'))
})

test('diffContents shows a removed line break at the end', () => {
  assert.deepEqual(shownOf('a\nb\n', 'a\nb'), [diff('a\nb\n', 'a\nb')])
})
