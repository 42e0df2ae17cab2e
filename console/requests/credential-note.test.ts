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

test('credentialNote names the missing variables of the first provider', () => {
  assert.deepEqual(credentialNote([demo, acme, azure], []), { ready: [], first: acme })
  assert.deepEqual(credentialNote([demo], []), { ready: [], first: undefined })
})

test('credentialNote lists providers with a credential', () => {
  assert.deepEqual(credentialNote([demo, acme, provider('Other', [])], ['acme']), { ready: ['Acme', 'Other'] })
})

test('credentialNote requires other missing variables too', () => {
  assert.deepEqual(credentialNote([azure], ['azure']), { ready: [], first: azure })
})
