import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TerminalText } from './terminal-text.ts'

const limits = { head: 100, tail: 200 }

function displayed(...pieces: string[]): string {
  const output = new TerminalText(limits)
  for (const piece of pieces) output.add(Buffer.from(piece))
  return output.text()
}

test('TerminalText shows the last of 5000 progress frames, in one piece or many', () => {
  const frames = Array.from({ length: 5000 }, (_, index) => `\r${index + 1}/5000 done`)
  const result = 'start\n5000/5000 done\nend'
  assert.equal(displayed('start\n', ...frames, '\nend'), result)
  assert.equal(displayed(`start\n${frames.join('')}\nend`), result)
  assert.equal(displayed('start\n', ...frames), 'start\n5000/5000 done')
})

test('TerminalText overwrites only what a frame covers, or an erased line', () => {
  assert.equal(displayed('abcdef\rxy\n'), 'xycdef\n')
  assert.equal(displayed('abcdef\r\x1b[Kxy\n'), 'xy\n')
  assert.equal(displayed('abcdef\x1b[2K\rxy\n'), 'xy\n')
  assert.equal(displayed('ab', 'c\r', '\nnext\r\n'), 'abc\nnext\n')
})

test('TerminalText keeps head and tail of long output, and of a line without end', () => {
  const long = displayed('a'.repeat(50_000), 'b'.repeat(50_000))
  assert.equal(long.slice(0, 100), 'a'.repeat(100))
  assert.equal(long.slice(-200), 'b'.repeat(200))
  assert.match(long, /99700 bytes .* …/)
  assert.equal(displayed('a'.repeat(90), 'b'.repeat(100)), 'a'.repeat(90) + 'b'.repeat(100))
  assert.equal(displayed('a'.repeat(50_000)).slice(0, 100), 'a'.repeat(100))
  assert.equal(displayed('é\r', 'ü\n'), 'ü\n')
})
