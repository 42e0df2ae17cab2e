import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  assignableRoles,
  canChangeMember,
  canCreateKeys,
  canManageOrganization,
  canManageWorkspace,
  canReadOrganization,
  editableKeyFields,
} from './permissions.ts'

const sessionOf = (role: 'owner' | 'admin' | 'developer' | 'viewer') => ({
  role,
  organization_role: role,
  member: { id: 'me' },
})
const key = { kind: 'api', disabled: false, creator_user_id: 'me' } as const

test('editableKeyFields lets admins edit all but management keys', () => {
  const others = { ...key, creator_user_id: 'other', disabled: true }
  assert.deepEqual(
    [editableKeyFields(sessionOf('owner'), others), editableKeyFields(sessionOf('admin'), others)],
    ['all', 'all'],
  )
  const management = { ...key, kind: 'management' as const }
  assert.deepEqual(
    [editableKeyFields(sessionOf('owner'), management), editableKeyFields(sessionOf('admin'), management)],
    ['all', 'nothing'],
  )
})

test('editableKeyFields lets developers edit their enabled keys', () => {
  assert.equal(editableKeyFields(sessionOf('developer'), key), 'some')
  for (const change of [{ creator_user_id: 'other' }, { disabled: true }, { kind: 'intern' as const }]) {
    assert.equal(editableKeyFields(sessionOf('developer'), { ...key, ...change }), 'nothing')
  }
  assert.deepEqual(
    [editableKeyFields(sessionOf('viewer'), key), canCreateKeys(sessionOf('viewer'))],
    ['nothing', false],
  )
})

test('canChangeMember excludes oneself, and owners for admins', () => {
  assert.equal(canChangeMember(sessionOf('owner'), { id: 'me', access: 'owner' }), false)
  assert.equal(canChangeMember(sessionOf('admin'), { id: 'other', access: 'owner' }), false)
  assert.equal(canChangeMember(sessionOf('admin'), { id: 'other', access: 'viewer' }), true)
  assert.equal(canChangeMember(sessionOf('developer'), { id: 'other', access: 'viewer' }), false)
  assert.deepEqual([assignableRoles(sessionOf('owner'))[0], assignableRoles(sessionOf('admin'))[0]], ['owner', 'admin'])
})

test('an admin of a workspace only cannot manage the organization', () => {
  const me = { ...sessionOf('admin'), organization_role: 'developer' as const }
  assert.deepEqual([canManageWorkspace(me), canManageOrganization(me), canReadOrganization(me)], [true, false, false])
  assert.equal(canChangeMember(me, { id: 'other', access: 'viewer' }), false)
})
