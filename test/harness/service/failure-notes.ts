import { afterEach } from 'node:test'

/** Details of a failed test that nobody can inspect later: the last notes since its start. */
const notes: string[] = []
const stored = 20

/**
 * Adds a note that is printed if the current test fails, and dropped if it passes. A repeated note moves to its last
 * position.
 */
export function noteForFailure(note: string): void {
  const before = notes.indexOf(note)
  if (before >= 0) notes.splice(before, 1)
  notes.push(note)
  if (notes.length > stored) notes.shift()
}

afterEach((test) => {
  const all = notes.splice(0)
  if ('passed' in test && !test.passed && all.length > 0)
    console.log(`What happened in the test that failed, "${test.name}":\n${all.join('\n')}`)
})
