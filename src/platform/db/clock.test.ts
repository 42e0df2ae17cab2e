import assert from 'node:assert/strict'
import { test } from 'node:test'
import { databaseClock } from './clock.ts'

test('servers that share a database do not go by their own clock, and one alone does', () => {
  const own = () => assert.fail('the own clock was asked')
  const shared = databaseClock({ kind: 'postgres' }, own)
  shared.nowSql()
  assert.ok(shared.elapsed() >= 0)
  assert.equal(databaseClock({ kind: 'sqlite' }, () => 7).elapsed(), 7)
})
