import { changeMember } from '#identity/accounts/members/change-members.ts'
import { MemberPatch } from '#identity/accounts/members/member.ts'
import { z } from '#platform/json/schema.ts'
import { route } from '../route.ts'
import { Member, MemberParams, toMemberResponse } from './member.ts'

export const updateOrganizationMember = route({
  method: 'patch',
  path: '/organization/members/{user_id}',
  tag: 'organization',
  key: 'management',
  scope: 'organization',
  summary: 'Update the name, address or role of a member',
  description: 'Missing fields stay unchanged. The last owner or admin must keep one of these roles.',
  request: { params: MemberParams, body: MemberPatch },
  response: z.object({ data: Member }),
  faults: ['invalid', 'unauthenticated', 'forbidden', 'not_found', 'conflict', 'unsupported_media_type'],
  handler: async ({ params, body, caller }, deps) => ({
    data: toMemberResponse(await changeMember(deps, caller, params.user_id, body)),
  }),
})
