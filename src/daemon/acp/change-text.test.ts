import assert from 'node:assert/strict'
import { test } from 'node:test'
import { changeText } from './change-text.ts'

const text = (lines: (string | number)[]) => `${lines.join('\n')}\n`
const ten = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]

test('a change is shown with three lines around it, and from which line on', () => {
  const after = text([1, 2, 3, 4, 5, 'six', 'more', 7, 8, 9, 10])
  const shown = ['--- f', '+++ f', '@@ from line 3 @@', ' 3', ' 4', ' 5', '-6', '+six', '+more', ' 7', ' 8', ' 9']
  assert.deepEqual(changeText({ path: 'f', before: text(ten), after }).split('\n'), shown)
})

test('nothing that changes is left out, at the beginning, at the end and in between', () => {
  const shown = changeText({ path: 'f', before: text(ten), after: text(['one', ...ten.slice(1, -1), 'ten']) })
  for (const line of ['-1', '+one', '-10', '+ten']) assert.ok(shown.split('\n').includes(line), line)
})

test('a file that is emptied, and one that only loses its last line break, show that', () => {
  assert.match(changeText({ path: 'f', before: 'a\n', after: '' }), /\n-a\n-$/)
  assert.match(changeText({ path: 'f', before: 'a\n', after: 'a' }), / a\n-$/)
})

test('the name of a file is on one line, and cannot look like lines that come', () => {
  const shown = changeText({ path: 'a (new file)\n+harmless\n', before: null, after: 'evil' })
  assert.deepEqual(shown.split('\n'), ['+++ a (new file)\\n+harmless\\n (new file)', '+evil'])
})
