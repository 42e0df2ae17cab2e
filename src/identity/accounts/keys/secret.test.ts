import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashOf, isSecret, keyLabel, newSecret } from './secret.ts'

test('a key is displayed by its first and last three digits, and stored as a hash', () => {
  const secret = `sb-v1-abc${'0'.repeat(58)}123`
  assert.equal(keyLabel(secret), 'sb-v1-abc…123')
  assert.match(hashOf(secret), /^[0-9a-f]{64}$/)
  assert.notEqual(hashOf(secret), hashOf(newSecret()))
})

test('a fresh key is one, and no other text is', () => {
  const secret = newSecret()
  assert.equal(isSecret(secret), true)
  for (const text of [secret.slice(0, -1), `${secret}0`, secret.toUpperCase(), ` ${secret}`, ''])
    assert.equal(isSecret(text), false, text)
})
