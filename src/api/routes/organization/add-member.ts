import { addMember } from '#identity/accounts/members/change-members.ts'
import { NewMember } from '#identity/accounts/members/member.ts'
import { z } from '#platform/json/schema.ts'
import { route } from '../route.ts'
import { Member, toMemberResponse } from './member.ts'

export const addOrganizationMember = route({
  method: 'post',
  path: '/organization/members',
  tag: 'organization',
  key: 'management',
  scope: 'organization',
  summary: 'Add a member to the organization',
  description:
    'A former member is restored with the same ID, so that their keys act for a member again. No email is sent: `POST /sessions/links` invites the member.',
  request: { body: NewMember },
  status: 201,
  response: z.object({ data: Member }),
  faults: ['invalid', 'unauthenticated', 'forbidden', 'conflict', 'unsupported_media_type'],
  handler: async ({ body, caller }, deps) => ({ data: toMemberResponse(await addMember(deps, caller, body)) }),
})
