import assert from 'node:assert/strict'
import { test } from 'node:test'
import { NewCredential } from '../provider-keys/credential.ts'
import { NewKey } from './keys/key.ts'
import { MemberPatch } from './members/member.ts'
import { NewWorkspace } from './workspace.ts'

const half = 'a\ud800'

test('half of a surrogate pair, which no database keeps, is refused in every name', () => {
  const refused = {
    'name of a member': MemberPatch.safeParse({ name: half }),
    'name of a key': NewKey.safeParse({ name: half }),
    'end user of a key': NewKey.safeParse({ name: 'n', external: { user: half } }),
    'name of a workspace': NewWorkspace.safeParse({ name: half, slug: 's' }),
    'description of a workspace': NewWorkspace.safeParse({ name: 'n', slug: 's', description: half }),
    'name of a credential': NewCredential.safeParse({ provider: 'p', key: 'k', name: half }),
  }
  for (const [what, { error }] of Object.entries(refused))
    assert.deepEqual(
      error?.issues.map(({ message }) => message),
      ['must not contain half of a surrogate pair'],
      what,
    )
})

test('a name is trimmed and not empty', () => {
  assert.deepEqual(MemberPatch.parse({ name: ' Ada ' }), { name: 'Ada' })
  assert.equal(MemberPatch.safeParse({ name: ' ' }).error?.issues[0]?.message, 'must not be empty')
})
