import assert from 'node:assert/strict'
import { test } from 'node:test'
import { longest } from './limits.ts'
import { Recorder } from './recorder.ts'

/** The texts of the entries that are kept of what an agent said piece by piece. */
function keptOfSaid(pieces: string[]): string[] {
  let last = 0
  const deps = { now: () => 0, next: () => ++last, changed: () => {}, told: () => {} }
  const recorder = new Recorder(deps, 's', undefined)
  for (const piece of pieces) recorder.said('message', piece)
  return recorder.pending()!.entries.map((entry) => ('text' in entry ? entry.text : ''))
}

test('what is said at length is kept in entries of whole characters', () => {
  const full = 'x'.repeat(longest.text - 1)
  for (const pieces of [[`${full}🚂`], [full, '🚂'], [`${full}y`, '🚂'], ['🚂'.repeat(longest.text)]]) {
    const texts = keptOfSaid(pieces)
    assert.equal(texts.join(''), pieces.join(''))
    for (const text of texts) assert.ok(text.isWellFormed() && text.length <= longest.text)
  }
})
