import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeOpeningError } from './opening-error.ts'

const error = (message: string, more: object) => Object.assign(new Error(message), more)

test('Postgres’ refusals are reported with its message and advice', () => {
  const refusal = (code: string, message: string) => describeOpeningError(error(message, { severity: 'FATAL', code }))
  assert.match(
    refusal('3D000', 'database "x" does not exist'),
    /^The database .* cannot be used: database "x" does not exist\. Create it first, .*createdb/,
  )
  assert.match(
    refusal('28P01', 'password authentication failed for user "y"'),
    /"y"\. Correct the user or the password/,
  )
  assert.match(refusal('28000', 'role "y" does not exist'), /"y" does not exist\. Correct the user .*createuser/)
  const withoutTls = 'no pg_hba.conf entry for host "10.0.0.1", user "y", database "x", no encryption'
  assert.match(
    refusal('28000', withoutTls),
    /no encryption\. It requires TLS: add sslmode=verify-full to DATABASE_URL\.$/,
  )
  assert.match(refusal('53300', 'too many clients already'), /too many clients already\. Raise .* DATABASE_POOL_SIZE/)
})

test('connection failures at the start are reported without system call names', () => {
  const unknown = error('getaddrinfo ENOTFOUND db.nowhere', { code: 'ENOTFOUND', hostname: 'db.nowhere' })
  assert.match(describeOpeningError(unknown), /cannot be reached: the host "db\.nowhere" was not found\.$/)
  const refused = error('connect ECONNREFUSED 127.0.0.1:1', { code: 'ECONNREFUSED' })
  assert.match(describeOpeningError(refused), /cannot be reached: nothing listens there \(.*127\.0\.0\.1:1\)\.$/)
  // Node's error has no message if it tried several addresses.
  assert.match(
    describeOpeningError(error('', { code: 'ECONNREFUSED' })),
    /nothing listens there \(connection refused\)\.$/,
  )
  const untrusted = error('unable to verify the first certificate', { code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' })
  assert.match(
    describeOpeningError(untrusted),
    /the certificate of its server is not trusted .*sslrootcert .*NODE_EXTRA_CA_CERTS/,
  )
  const withoutTls = error('The server does not support SSL connections', {})
  assert.match(describeOpeningError(withoutTls), /does not support TLS\. Enable it there, or set sslmode=disable/)
  const withoutPassword = error('SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string', {})
  assert.match(describeOpeningError(withoutPassword), /requires a password, and DATABASE_URL has none\.$/)
  const missingFile = error('ENOENT: no such file', { code: 'ENOENT', syscall: 'open', path: '/ca.pem' })
  assert.match(describeOpeningError(missingFile), /the file "\/ca\.pem" in DATABASE_URL cannot be read \(ENOENT\)\.$/)
  const socket = error('connect ENOENT /run/.s.PGSQL.1', {
    code: 'ENOENT',
    syscall: 'connect',
    address: '/run/.s.PGSQL.1',
  })
  assert.match(describeOpeningError(socket), /there is no socket "\/run\/\.s\.PGSQL\.1"\.$/)
  assert.match(describeOpeningError(error('timeout expired', {})), /cannot be reached: timeout expired\.$/)
})
