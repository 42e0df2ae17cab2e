import { Credential, CredentialPatch } from '#identity/provider-keys/credential.ts'
import { changeCredential } from '#identity/provider-keys/credentials.ts'
import { z } from '#platform/json/schema.ts'
import { credentialEntity } from '../entities.ts'
import { route } from '../route.ts'
import { ProviderKeyParams } from './params.ts'

export const updateProviderKey = route({
  method: 'patch',
  path: '/byok/{id}',
  tag: 'byok',
  key: 'management',
  summary: 'Update a provider key',
  description: 'Missing fields stay unchanged. A new `key` replaces the old one immediately.',
  request: { params: ProviderKeyParams, body: CredentialPatch },
  response: z.object({ data: Credential }),
  etag: credentialEntity,
  ifMatch: credentialEntity,
  faults: ['invalid', 'unauthenticated', 'forbidden', 'not_found', 'conflict', 'unsupported_media_type'],
  handler: async ({ params, body, caller }, deps) => ({ data: await changeCredential(deps, caller, params.id, body) }),
})
