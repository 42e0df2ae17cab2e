import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ProviderNeeds } from '../api/types.ts'
import { credentialNote } from './credential-note.ts'

const provider = (name: string, missing: string[], credential_variables = [`${name}_KEY`]): ProviderNeeds => ({
  name,
  slug: name.toLowerCase(),
  missing,
  credential_variables,
  address_variables: [],
  models: 1,
})
const demo = provider('Demo', [], [])
const acme = provider('Acme', ['Acme_KEY'])
const azure = provider('Azure', ['Azure_KEY', 'AZURE_HOST'])

test('a note without any credential names what the first provider lacks', () => {
  assert.deepEqual(credentialNote([demo, acme, azure], []), { ready: [], first: acme })
  assert.deepEqual(credentialNote([demo], []), { ready: [], first: undefined })
})

test('a note lists providers whose credential is set or stored', () => {
  assert.deepEqual(credentialNote([demo, acme, provider('Other', [])], ['acme']), { ready: ['Acme', 'Other'] })
})

test('a stored key does not replace a missing part of the address', () => {
  assert.deepEqual(credentialNote([azure], ['azure']), { ready: [], first: azure })
})
