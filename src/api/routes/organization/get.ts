import { getOrganization } from '#identity/accounts/organizations.ts'
import { z } from '#platform/json/schema.ts'
import { route } from '../route.ts'
import { Organization } from './organization.ts'

export const getOrganizationRoute = route({
  method: 'get',
  path: '/organization',
  tag: 'organization',
  key: 'management',
  scope: 'organization',
  summary: 'Get the organization of the calling key',
  description: 'Returns its name, and whether its keys can use interns.',
  response: z.object({ data: Organization }),
  faults: ['unauthenticated', 'forbidden'],
  handler: async ({ caller }, deps) => ({ data: await getOrganization(deps, caller.organizationId) }),
})
