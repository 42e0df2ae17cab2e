import assert from 'node:assert/strict'
import { test } from 'node:test'
import { applyPatch } from 'diff'
import { formatChange } from './change-text.ts'

const text = (lines: (string | number)[]) => `${lines.join('\n')}\n`
const ten = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
const changed = (before: string, after: string) => formatChange({ path: 'f', before, after })

test('a change is shown with three lines around it, and from which line on', () => {
  const after = text([1, 2, 3, 4, 5, 'six', 'more', 7, 8, 9, 10])
  const hunk = ['@@ -3,7 +3,8 @@', ' 3', ' 4', ' 5', '-6', '+six', '+more', ' 7', ' 8', ' 9']
  assert.deepEqual(changed(text(ten), after).split('\n'), ['--- f', '+++ f', ...hunk])
})

test('unchanged lines are not part of a change, however many lie between changes', () => {
  const lines = Array.from({ length: 10_000 }, (_, at) => `line ${at}`)
  const preview = changed(text(lines), text(['first', ...lines.slice(1, -1), 'last']))
  const signed = preview.split('\n').filter((line) => /^[-+][^-+]/.test(line))
  assert.deepEqual(signed, ['-line 0', '+first', '-line 9999', '+last'])
  assert.deepEqual(preview.match(/^@@.*/gm), ['@@ -1,4 +1,4 @@', '@@ -9997,4 +9997,4 @@'])
})

test('every generated change applies and results in the file that the agent writes', () => {
  const random = randomOf(7)
  const pick = (length: number) => Array.from({ length }, () => 'abc-+@\\ '[Math.floor(random() * 8)]!).join('\n')
  for (let round = 0; round < 300; round++) {
    const length = round % 30 === 0 ? 1500 : 1 + Math.floor(random() * 12)
    const before = `${pick(length)}\n`
    const after = random() < 0.5 ? pick(length) : `${pick(length)}\n`
    assert.equal(applyPatch(before, changed(before, after)), after)
  }
})

test('a file that is emptied, loses its last line break or stays is shown as such', () => {
  assert.equal(changed('a\n', ''), '--- f\n+++ f\n@@ -1,1 +0,0 @@\n-a')
  assert.match(changed('a\n', 'a'), /\n-a\n\+a\n\\ No newline at end of file$/)
  assert.equal(changed('a\n', 'a\n'), '--- f\n+++ f (unchanged)')
})

test('a piece of a file, whose last line has no line break, is shown as its lines', () => {
  assert.equal(changed('a\nb', 'a\nc'), '--- f\n+++ f\n@@ -1,2 +1,2 @@\n a\n-b\n+c')
  assert.equal(formatChange({ path: 'f', before: null, after: 'a' }), '+++ f (new file)\n+a')
})

test('the name of a file is on one line, and cannot imitate following lines', () => {
  const preview = formatChange({ path: 'a (new file)\n+harmless\n', before: null, after: 'evil' })
  assert.deepEqual(preview.split('\n'), ['+++ a (new file)\\n+harmless\\n (new file)', '+evil'])
})

/** Pseudo-random numbers, the same in each run. */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648
  }
}
