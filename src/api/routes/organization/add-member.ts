import { NewMember } from '#identity/accounts/members/member.ts'
import { addMember } from '#identity/accounts/members/members.ts'
import { z } from '#platform/json/schema.ts'
import { route } from '../route.ts'
import { Member, memberAnswer } from './member.ts'

export const addOrganizationMember = route({
  method: 'post',
  path: '/organization/members',
  tag: 'organization',
  key: 'management',
  summary: 'Take somebody into the organization',
  description:
    'Somebody who has left is taken back as the same person, so that keys of theirs act again for a member. Nothing is sent to the address.',
  request: { body: NewMember },
  status: 201,
  response: z.object({ data: Member }),
  faults: ['invalid', 'unauthenticated', 'forbidden', 'conflict', 'unsupported_media_type'],
  handler: async ({ body, caller }, deps) => ({ data: memberAnswer(await addMember(deps, caller, body)) }),
})
