import { afterEach } from 'node:test'

/** What explains a test that fails, where nobody can look at it: the last notes since it began. */
const notes: string[] = []
const kept = 20

/** Is printed if the test that runs fails, and forgotten if it passes. Said again, it stands where it was said last. */
export function noteForFailure(note: string): void {
  const before = notes.indexOf(note)
  if (before >= 0) notes.splice(before, 1)
  notes.push(note)
  if (notes.length > kept) notes.shift()
}

afterEach((test) => {
  const all = notes.splice(0)
  if ('passed' in test && !test.passed && all.length > 0)
    console.log(`What happened in the test that failed, "${test.name}":\n${all.join('\n')}`)
})
