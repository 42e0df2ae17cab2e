import { removeMember } from '#identity/accounts/members/members.ts'
import { z } from '#platform/json/schema.ts'
import { route } from '../route.ts'
import { MemberParams } from './member.ts'

export const removeOrganizationMember = route({
  method: 'delete',
  path: '/organization/members/{user_id}',
  tag: 'organization',
  key: 'management',
  summary: 'End a membership',
  description:
    'Keys that act for somebody who has left go on working, but may use interns only with a grant. `disable_keys=true` disables them too, all but those of interns.',
  request: {
    params: MemberParams,
    query: z.object({
      disable_keys: z
        .enum(['true', 'false'])
        .default('false')
        .describe('Whether to disable their keys too.')
        .transform((word) => word === 'true'),
    }),
  },
  response: z.object({ deleted: z.literal(true), disabled_keys: z.number().int() }),
  faults: ['invalid', 'unauthenticated', 'forbidden', 'not_found', 'conflict'],
  handler: async ({ params, query, caller }, deps) => {
    const disabled = await removeMember(deps, caller, params.user_id, { disableKeys: query.disable_keys })
    return { deleted: true as const, disabled_keys: disabled }
  },
})
