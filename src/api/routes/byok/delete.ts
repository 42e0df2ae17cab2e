import { deleteCredential } from '#identity/provider-keys/credentials.ts'
import { z } from '#platform/json/schema.ts'
import { credentialEntity } from '../entities.ts'
import { route } from '../route.ts'
import { ProviderKeyParams } from './params.ts'

export const deleteProviderKey = route({
  method: 'delete',
  path: '/byok/{id}',
  tag: 'byok',
  key: 'management',
  summary: 'Delete a provider key',
  description: 'Requests then use the operator’s key for this provider, if there is one.',
  request: { params: ProviderKeyParams },
  response: z.object({ deleted: z.literal(true) }),
  ifMatch: credentialEntity,
  faults: ['unauthenticated', 'forbidden', 'not_found', 'conflict'],
  handler: async ({ params, caller }, deps) => {
    await deleteCredential(deps, caller, params.id)
    return { deleted: true as const }
  },
})
