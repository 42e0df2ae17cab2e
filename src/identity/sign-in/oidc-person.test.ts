import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type OidcRules, readClaim, readPerson } from './oidc-person.ts'

const rules: OidcRules = {
  oidc_domains: ['example.com'],
  oidc_roles: {},
  oidc_default_role: 'developer',
  oidc_groups_claim: 'groups',
  oidc_groups: { a: { workspace: 'one', role: 'viewer' }, b: { workspace: 'two' }, c: { workspace: 'one' } },
  oidc_email_claim: 'email',
  oidc_trust_addresses: false,
}
const workspacesOf = (groups: unknown) =>
  readPerson({ idToken: { iss: 'i', sub: 's', groups }, userInfo: undefined, isIncomplete: false }, rules).workspaces

test('groups that repeat cost time for each, and not for each pair', () => {
  const groups = Array.from({ length: 120_000 }, (_, i) => (i % 2 ? 'a' : 'b'))
  const start = process.cpuUsage()
  assert.deepEqual(workspacesOf(groups), [{ workspace: 'one', role: 'viewer' }, { workspace: 'two' }])
  // Pairs took 12 s.
  assert.ok(process.cpuUsage(start).user < 1_000_000)
})

test('a groups claim of any type is read as the texts and numbers in it', () => {
  for (const claim of [undefined, null, 5, {}, { toString: 'a' }, [null], [['a']], 'x', '__proto__'])
    assert.deepEqual(workspacesOf(claim), [], JSON.stringify(claim))
  assert.deepEqual(workspacesOf('b'), [{ workspace: 'two' }])
})

test('a path leads through a list of objects', () => {
  const groups = [{ id: 1, name: 'b' }, { id: 2, name: 'other' }, 'a', null, { name: ['a'] }]
  const response = { idToken: { iss: 'i', sub: 's', groups }, userInfo: undefined, isIncomplete: false }
  const person = readPerson(response, { ...rules, oidc_groups_claim: 'groups.name' })
  assert.deepEqual(person.workspaces, [{ workspace: 'two' }])
})

test('a path through a list can name an index, and is missing without its name', () => {
  const claims = { groups: [{ id: 1 }, { id: 2 }, 'a'], none: [] }
  assert.equal(readClaim(claims, 'groups.1.id'), 2)
  assert.deepEqual(readClaim(claims, 'groups.id'), [1, 2])
  assert.equal(readClaim(claims, 'groups.name'), undefined)
  assert.deepEqual(readClaim(claims, 'none.name'), [])
})

test('the address of another claim is trusted only with the setting', () => {
  const idToken = { iss: 'i', sub: 's', upn: 'Ada@Example.com', email: 'other@example.com', email_verified: true }
  const emailWith = (changes: Partial<OidcRules>) =>
    readPerson({ idToken, userInfo: undefined, isIncomplete: false }, { ...rules, ...changes }).email
  assert.equal(emailWith({}), 'other@example.com')
  assert.equal(emailWith({ oidc_email_claim: 'upn' }), undefined)
  assert.equal(emailWith({ oidc_email_claim: 'upn', oidc_trust_addresses: true }), 'ada@example.com')
  assert.equal(emailWith({ oidc_email_claim: 'missing', oidc_trust_addresses: true }), undefined)
})

test('an address with a Kelvin sign is not that of the member with a k', () => {
  const emailOf = (email: string) =>
    readPerson(
      { idToken: { iss: 'i', sub: 's', email, email_verified: true }, userInfo: undefined, isIncomplete: false },
      rules,
    ).email
  assert.equal(emailOf('MARK@Example.com'), 'mark@example.com')
  assert.notEqual(emailOf('mar\u212a@example.com'), 'mark@example.com')
})
