import { Credential, NewCredential } from '#identity/provider-keys/credential.ts'
import { createCredential } from '#identity/provider-keys/credentials.ts'
import { z } from '#platform/json/schema.ts'
import { route } from '../route.ts'

export const createProviderKey = route({
  method: 'post',
  path: '/byok',
  tag: 'byok',
  key: 'management',
  summary: 'Add a provider key, which the workspace uses before the operator’s',
  description:
    'The key is encrypted at rest and never returned. Requests of the workspace to this provider use it. Their cost does not count toward limits unless a guardrail includes it.',
  request: { body: NewCredential },
  status: 201,
  response: z.object({ data: Credential }),
  faults: ['invalid', 'unauthenticated', 'forbidden', 'conflict', 'unsupported_media_type'],
  handler: async ({ body, caller }, deps) => ({ data: await createCredential(deps, caller, body) }),
})
