import assert from 'node:assert/strict'
import { test } from 'node:test'
import { maxLengths } from './limits.ts'
import { Recorder } from './recorder.ts'

/** The recorded texts of a message that arrived in pieces. */
function recordTexts(pieces: string[]): string[] {
  let last = 0
  const deps = { now: () => 0, nextId: () => ++last, onChange: () => {}, onText: () => {} }
  const recorder = new Recorder(deps, 's', undefined)
  for (const piece of pieces) recorder.addText('message', piece)
  return recorder.unsavedChange()!.entries.map((entry) => ('text' in entry ? entry.text : ''))
}

test('a long text is recorded in entries of whole characters', () => {
  const full = 'x'.repeat(maxLengths.text - 1)
  for (const pieces of [[`${full}🚂`], [full, '🚂'], [`${full}y`, '🚂'], ['🚂'.repeat(maxLengths.text)]]) {
    const texts = recordTexts(pieces)
    assert.equal(texts.join(''), pieces.join(''))
    for (const text of texts) assert.ok(text.isWellFormed() && text.length <= maxLengths.text)
  }
})
