import { removeMember } from '#identity/accounts/remove-member.ts'
import { booleanParameter } from '#platform/json/boolean-parameter.ts'
import { z } from '#platform/json/schema.ts'
import { strictFields } from '#platform/json/strict-fields.ts'
import { route } from '../route.ts'
import { MemberParams } from './member.ts'

export const removeOrganizationMember = route({
  method: 'delete',
  path: '/organization/members/{user_id}',
  tag: 'organization',
  key: 'management',
  scope: 'organization',
  summary: 'Remove a member',
  description:
    'The keys of a former member keep working, but can use interns only with a grant. `disable_keys=true` also disables the keys, except those of interns.',
  request: {
    params: MemberParams,
    query: strictFields({
      disable_keys: booleanParameter('Whether to also disable the keys of the member.').prefault('false'),
    }),
  },
  response: z.object({ deleted: z.literal(true), disabled_keys: z.number().int() }),
  faults: ['invalid', 'unauthenticated', 'forbidden', 'not_found', 'conflict'],
  handler: async ({ params, query, caller }, deps) => {
    const disabled = await removeMember(deps, caller, params.user_id, { disableKeys: query.disable_keys })
    return { deleted: true as const, disabled_keys: disabled }
  },
})
