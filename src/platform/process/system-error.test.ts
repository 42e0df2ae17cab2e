import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeSync } from 'node:fs'
import { test } from 'node:test'
import { describeSystemError, readErrorText, writeErrorText } from './system-error.ts'

function refusalOf(deed: () => unknown, describeError: (error: unknown) => string | undefined = describeSystemError) {
  try {
    deed()
  } catch (error) {
    return describeError(error)
  }
  throw new Error('it was let')
}

test('a system error is one sentence with path and reason', () => {
  assert.equal(
    refusalOf(() => readFileSync('/no-such/file')),
    'The system does not let this program open /no-such/file: no such file or directory.',
  )
  assert.match(refusalOf(() => mkdirSync('/proc/none/x'))!, / create \/proc\/none\/x: no such file or directory\.$/)
  assert.equal(
    refusalOf(() => writeSync(9999, 'x')),
    'The system does not let this program write: bad file descriptor.',
  )
})

test('a defect of this program is not a system error', () => {
  assert.equal(
    refusalOf(() => new URL('none')),
    undefined,
  )
  assert.equal(describeSystemError(new Error('EACCES')), undefined)
  assert.equal(describeSystemError('EACCES'), undefined)
})

test('why a file is not read or written ends a sentence, without path or code', () => {
  const none = () => readFileSync('/no-such/file')
  assert.equal(refusalOf(none, readErrorText), 'it does not exist')
  assert.equal(refusalOf(none, writeErrorText), 'its folder does not exist')
  assert.equal(
    refusalOf(() => readFileSync('/'), readErrorText),
    'it is a folder',
  )
  assert.equal(
    refusalOf(() => readFileSync('/etc/passwd/x'), readErrorText),
    'not a directory',
  )
  assert.equal(readErrorText(new Error('it is too large')), 'it is too large')
})
