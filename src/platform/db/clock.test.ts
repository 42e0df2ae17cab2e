import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDatabaseClock } from './clock.ts'

test('servers that share a database do not go by their own clock, and one alone does', () => {
  const own = () => assert.fail('the own clock was asked')
  const shared = createDatabaseClock({ kind: 'postgres' }, own)
  shared.nowSql()
  assert.ok(shared.elapsed() >= 0)
  assert.equal(createDatabaseClock({ kind: 'sqlite' }, () => 7).elapsed(), 7)
})
