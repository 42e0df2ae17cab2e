import { changeOrganization } from '#identity/accounts/organizations.ts'
import { z } from '#platform/json/schema.ts'
import { strictFields } from '#platform/json/strict-fields.ts'
import { route } from '../route.ts'
import { Organization } from './organization.ts'

const OrganizationPatch = strictFields({
  interns_programme: z.boolean().describe('Whether the keys of the organization can use interns.'),
})
  .partial()
  .meta({ id: 'OrganizationPatch' })

export const updateOrganization = route({
  method: 'patch',
  path: '/organization',
  tag: 'organization',
  key: 'management',
  scope: 'organization',
  summary: 'Update the organization',
  description: 'Missing fields stay unchanged. Without `interns_programme`, the routes of interns return 404.',
  request: { body: OrganizationPatch },
  response: z.object({ data: Organization }),
  faults: ['invalid', 'unauthenticated', 'forbidden', 'conflict', 'unsupported_media_type'],
  handler: async ({ body, caller }, deps) => ({ data: await changeOrganization(deps, caller, body) }),
})
