import { Credential } from '#identity/provider-keys/credential.ts'
import { listCredentials } from '#identity/provider-keys/credentials.ts'
import { PageQuery, pageOf } from '#platform/json/page.ts'
import { z } from '#platform/json/schema.ts'
import { route } from '../route.ts'

export const listProviderKeys = route({
  method: 'get',
  path: '/byok',
  tag: 'byok',
  key: 'management',
  summary: 'List the provider keys of a workspace, by provider and preference',
  description: 'The keys themselves are never returned.',
  request: {
    query: PageQuery.extend({
      workspace_id: z
        .string()
        .optional()
        .describe('ID or slug of the workspace. Defaults to the workspace of the calling key.'),
      provider: z.string().optional().describe('Filter by slug of the provider.'),
    }),
  },
  response: pageOf(Credential),
  faults: ['invalid', 'unauthenticated', 'forbidden'],
  handler: ({ query, caller }, deps) => listCredentials(deps, caller, query),
})
