import { Credential } from '#identity/provider-keys/credential.ts'
import { getCredential } from '#identity/provider-keys/credentials.ts'
import { z } from '#platform/json/schema.ts'
import { credentialEntity } from '../entities.ts'
import { route } from '../route.ts'
import { ProviderKeyParams } from './params.ts'

export const getProviderKey = route({
  method: 'get',
  path: '/byok/{id}',
  tag: 'byok',
  key: 'management',
  summary: 'Get a provider key',
  description: 'Returns the record without the key itself.',
  request: { params: ProviderKeyParams },
  response: z.object({ data: Credential }),
  etag: credentialEntity,
  faults: ['unauthenticated', 'forbidden', 'not_found'],
  handler: async ({ params, caller }, deps) => ({ data: await getCredential(deps, caller, params.id) }),
})
