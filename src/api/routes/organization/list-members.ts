import { listMembers } from '#identity/accounts/members/members.ts'
import { PageQuery, pageOf, SearchText } from '#platform/json/page.ts'
import { route } from '../route.ts'
import { Member, toMemberResponse } from './member.ts'

export const listOrganizationMembers = route({
  method: 'get',
  path: '/organization/members',
  tag: 'organization',
  key: 'management',
  scope: 'organization',
  summary: 'List the members of the organization, in the order of joining',
  description: 'Former members are not listed.',
  request: {
    query: PageQuery.extend({ q: SearchText.describe('Words that must all occur in the name or address.') }),
  },
  response: pageOf(Member),
  faults: ['invalid', 'unauthenticated', 'forbidden'],
  handler: async ({ query, caller }, deps) => {
    const { data, total_count } = await listMembers(deps, caller.organizationId, query)
    return { data: data.map(toMemberResponse), total_count }
  },
})
