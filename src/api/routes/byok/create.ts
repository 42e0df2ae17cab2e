import { Credential, NewCredential } from '#identity/provider-keys/credential.ts'
import { createCredential } from '#identity/provider-keys/credentials.ts'
import { z } from '#platform/json/schema.ts'
import { route } from '../route.ts'

export const createByok = route({
  method: 'post',
  path: '/byok',
  tag: 'byok',
  key: 'management',
  summary: 'Bring a provider’s key: requests of the workspace use it before the operator’s',
  description:
    'The key is encrypted at rest and is never shown again. Requests of the workspace to this provider use it; what they cost is not charged to budgets unless a guardrail says so.',
  request: { body: NewCredential },
  status: 201,
  response: z.object({ data: Credential }),
  faults: ['invalid', 'unauthenticated', 'forbidden', 'conflict', 'unsupported_media_type'],
  handler: async ({ body, caller }, deps) => ({ data: await createCredential(deps, caller, body) }),
})
