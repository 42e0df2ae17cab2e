import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeSync } from 'node:fs'
import { test } from 'node:test'
import { systemRefusal } from './system-error.ts'

function refusalOf(deed: () => unknown): string | undefined {
  try {
    deed()
  } catch (error) {
    return systemRefusal(error)
  }
  throw new Error('it was let')
}

test('what the system refuses is one sentence with the path and the reason', () => {
  assert.equal(
    refusalOf(() => readFileSync('/no-such/file')),
    'The system does not let this program open /no-such/file: no such file or directory.',
  )
  assert.match(refusalOf(() => mkdirSync('/proc/none/x'))!, / make \/proc\/none\/x: no such file or directory\.$/)
  assert.equal(
    refusalOf(() => writeSync(9999, 'x')),
    'The system does not let this program write: bad file descriptor.',
  )
})

test('a defect of ours is none of the system', () => {
  assert.equal(
    refusalOf(() => new URL('none')),
    undefined,
  )
  assert.equal(systemRefusal(new Error('EACCES')), undefined)
  assert.equal(systemRefusal('EACCES'), undefined)
})
