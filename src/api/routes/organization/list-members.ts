import { z } from 'zod'
import { listMembers } from '#accounts/members.ts'
import { PageQuery, pageOf } from '#lib/page.ts'
import { route } from '../../route.ts'

const Member = z
  .object({
    id: z.string(),
    email: z.string(),
    first_name: z.string().nullable(),
    last_name: z.string().nullable(),
    role: z.enum(['org:admin', 'org:member']),
  })
  .meta({ id: 'Member', description: 'A member of the organization.' })

export const listOrganizationMembers = route({
  method: 'get',
  path: '/organization/members',
  tag: 'organization',
  key: 'management',
  summary: 'The members of the organization, in the order in which they joined',
  request: { query: PageQuery },
  response: pageOf(Member),
  faults: ['invalid', 'unauthenticated', 'forbidden'],
  handler: async ({ query, caller }, deps) => {
    const { data, total_count } = await listMembers(deps, caller.organizationId, query)
    return {
      data: data.map(({ userId, email, name, role }) => ({
        id: userId,
        email,
        ...splitName(name),
        role: `org:${role}` as const,
      })),
      total_count,
    }
  },
})

/** A name is one text here; clients expect two. */
function splitName(name: string): { first_name: string | null; last_name: string | null } {
  const [first, ...rest] = name.trim().split(/\s+/)
  return { first_name: first || null, last_name: rest.join(' ') || null }
}
