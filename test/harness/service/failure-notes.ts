import { afterEach } from 'node:test'

/** The last notes since the start of the current test, because nobody can inspect a failed test later. */
const notes: string[] = []
const maxNotes = 20

/**
 * Adds a note that is printed if the current test fails, and dropped if it passes. A repeated note moves to its last
 * position.
 */
export function noteForFailure(note: string): void {
  const before = notes.indexOf(note)
  if (before >= 0) notes.splice(before, 1)
  notes.push(note)
  if (notes.length > maxNotes) notes.shift()
}

afterEach((test) => {
  const all = notes.splice(0)
  if ('passed' in test && !test.passed && all.length > 0)
    console.log(`What happened in the test that failed, "${test.name}":\n${all.join('\n')}`)
})
