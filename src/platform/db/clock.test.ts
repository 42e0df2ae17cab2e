import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDatabaseClock } from './clock.ts'

test('servers that share a database do not go by their own clock, and one alone does', () => {
  const own = () => assert.fail('the own clock was asked')
  const shared = createDatabaseClock({ kind: 'postgres' }, own)
  shared.nowSql()
  assert.ok(shared.elapsed() >= 0)
})

test('durations do not follow a step of the system time', () => {
  let now = 7
  const { elapsed } = createDatabaseClock({ kind: 'sqlite' }, () => now)
  const before = elapsed()
  now -= 3_600_000
  const after = elapsed()
  assert.ok(after >= before && after - before < 600_000)
})
