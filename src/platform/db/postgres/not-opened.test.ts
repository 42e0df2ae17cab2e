import assert from 'node:assert/strict'
import { test } from 'node:test'
import { whyNotOpened } from './not-opened.ts'

const error = (message: string, more: object) => Object.assign(new Error(message), more)

test('Postgres’ refusals are reported with its message and advice', () => {
  const refusal = (code: string, message: string) => whyNotOpened(error(message, { severity: 'FATAL', code }))
  assert.match(
    refusal('3D000', 'database "x" does not exist'),
    /^The database .* cannot be used: database "x" does not exist\. Create it first, .*createdb/,
  )
  assert.match(
    refusal('28P01', 'password authentication failed for user "y"'),
    /"y"\. Correct the user or the password/,
  )
  assert.match(refusal('28000', 'role "y" does not exist'), /"y" does not exist\. Correct the user .*createuser/)
  assert.match(refusal('53300', 'too many clients already'), /cannot be used: too many clients already\.$/)
})

test('connection failures at the start are reported without system call names', () => {
  const unknown = error('getaddrinfo ENOTFOUND db.nowhere', { code: 'ENOTFOUND', hostname: 'db.nowhere' })
  assert.match(whyNotOpened(unknown), /cannot be reached: the host "db\.nowhere" was not found\.$/)
  const refused = error('connect ECONNREFUSED 127.0.0.1:1', { code: 'ECONNREFUSED' })
  assert.match(whyNotOpened(refused), /cannot be reached: nothing listens there \(.*127\.0\.0\.1:1\)\.$/)
  // Node's error has no message if it tried several addresses.
  assert.match(whyNotOpened(error('', { code: 'ECONNREFUSED' })), /nothing listens there \(connection refused\)\.$/)
  assert.match(whyNotOpened(error('timeout expired', {})), /cannot be reached: timeout expired\.$/)
})
