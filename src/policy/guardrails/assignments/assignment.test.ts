import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MemberTargets } from './assignment.ts'

test('the id of a member has at least one letter', () => {
  assert.deepEqual(MemberTargets.parse({ member_user_ids: ['u'] }), { member_user_ids: ['u'] })
  assert.equal(MemberTargets.safeParse({ member_user_ids: [''] }).success, false)
})
