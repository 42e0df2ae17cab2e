import { changeOrganization } from '#identity/accounts/organizations.ts'
import { z } from '#platform/json/schema.ts'
import { strictFields } from '#platform/json/strict-fields.ts'
import { route } from '../route.ts'
import { Organization } from './organization.ts'

const OrganizationPatch = strictFields({ interns_programme: z.boolean() }).partial().meta({ id: 'OrganizationPatch' })

export const updateOrganization = route({
  method: 'patch',
  path: '/organization',
  tag: 'organization',
  key: 'management',
  summary: 'Change the organization, such as whether its keys may use interns',
  description: 'Whether keys of the organization may have interns. A field that is left out stays as it is.',
  request: { body: OrganizationPatch },
  response: z.object({ data: Organization }),
  faults: ['invalid', 'unauthenticated', 'forbidden', 'conflict', 'unsupported_media_type'],
  handler: async ({ body, caller }, deps) => ({ data: await changeOrganization(deps, caller, body) }),
})
