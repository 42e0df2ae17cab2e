import { Credential } from '#identity/provider-keys/credential.ts'
import { listCredentials } from '#identity/provider-keys/credentials.ts'
import { PageQuery, pageOf } from '#platform/core/page.ts'
import { z } from '#platform/json/schema.ts'
import { route } from '../route.ts'

export const listByok = route({
  method: 'get',
  path: '/byok',
  tag: 'byok',
  key: 'management',
  summary: 'The provider credentials of a workspace, by provider and preference',
  description: "The provider's keys themselves are never shown.",
  request: {
    query: PageQuery.extend({
      workspace_id: z.string().optional().describe('The calling key’s own workspace unless told.'),
      provider: z.string().optional(),
    }),
  },
  response: pageOf(Credential),
  faults: ['invalid', 'unauthenticated', 'forbidden'],
  handler: ({ query, caller }, deps) => listCredentials(deps, caller, query),
})
