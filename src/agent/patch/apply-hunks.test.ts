import assert from 'node:assert/strict'
import { test } from 'node:test'
import { applyHunks } from './apply-hunks.ts'
import { parsePatch } from './parse-patch.ts'

/** The text after the hunks of an update of one file. */
function update(text: string, ...lines: string[]): string {
  const [file] = parsePatch(['*** Update File: a', ...lines].join('\n'))
  assert.equal(file?.kind, 'update')
  return applyHunks(text, file.hunks).text
}

test('a byte order mark stays at the start of the file, and is not repeated', () => {
  const file = '\ufeffusing A;\nclass B {}\n'
  assert.equal(update(file, '@@', '-using A;', '+using X;', '+using Y;'), '\ufeffusing X;\nusing Y;\nclass B {}\n')
  assert.equal(update(file, '@@', '-using A;', '+using X;', ' class B {}'), '\ufeffusing X;\nclass B {}\n')
  assert.equal(update(file, '@@', '-\ufeffusing A;', '+\ufeffusing X;'), '\ufeffusing X;\nclass B {}\n')
})

test('in a file with mixed line ends, a new line ends as the lines around it', () => {
  const file = 'alpha\r\nbeta\r\ngamma\ndelta\n'
  assert.equal(update(file, '@@', ' alpha', '-beta', '+BETA', ' gamma'), 'alpha\r\nBETA\r\ngamma\ndelta\n')
  assert.equal(update(file, '@@', '-gamma', '+g', '+h'), 'alpha\r\nbeta\r\ng\nh\ndelta\n')
  assert.equal(update(file, '@@ alpha', '+new'), 'alpha\r\nnew\r\nbeta\r\ngamma\ndelta\n')
})

test('a file without a line end at its end gets none', () => {
  assert.equal(update('a\nb', '@@', ' b', '+c'), 'a\nb\nc')
  assert.equal(update('a\r\nb', '+c'), 'a\r\nb\r\nc')
  assert.equal(update('a', '-a', '+b', '+c'), 'b\nc')
  assert.equal(update('', '+a'), 'a\n')
})

test('"*** End of File" selects the last of several positions', () => {
  const file = 'a\nb\na\n'
  assert.equal(update(file, '@@', '-a', '+c', '*** End of File'), 'a\nb\nc\n')
  assert.throws(() => update(file, '@@', '-a', '+c'), /its lines stand at lines 1, 3/)
  // Some models write the marker everywhere.
  assert.equal(update(file, '@@', '-b', '+c', '*** End of File'), 'a\nc\na\n')
})

test('an empty context line selects a position, a separator between hunks does not', () => {
  const file = 'def f\nx\nb\nx\n\nend\n'
  assert.equal(update(file, '@@ def f', '-x', '+y', ' '), 'def f\nx\nb\ny\n\nend\n')
  assert.equal(update(file, '@@ def f', '-x', '+y', '', '@@', '-end', '+END'), 'def f\ny\nb\nx\n\nEND\n')
})

test('the end of a file is not an empty line', () => {
  assert.throws(() => update('x\na\n', '@@', '-a', '-', '+b'), /line 3 is after the end of the file/)
})
