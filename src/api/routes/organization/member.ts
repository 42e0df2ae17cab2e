import { type Member as MemberRecord, simplifiedRole } from '#identity/accounts/members/member.ts'
import { memberRoles } from '#identity/accounts/role.ts'
import { isoTime } from '#platform/core/clock.ts'
import { z } from '#platform/json/schema.ts'

export const Member = z
  .object({
    id: z.string(),
    email: z.string(),
    first_name: z.string().nullable(),
    last_name: z.string().nullable(),
    role: z.enum(['org:admin', 'org:member']),
    access: z.enum(memberRoles).describe('The exact role.'),
    joined_at: z.iso.datetime(),
  })
  .meta({ id: 'Member', description: 'A member of the organization.' })

export const MemberParams = z.object({
  user_id: z.string().describe('The ID of the member.'),
})

export function toMemberResponse({ userId, email, name, role, joinedAt }: MemberRecord): z.infer<typeof Member> {
  return {
    id: userId,
    email,
    ...splitName(name),
    role: simplifiedRole(role),
    access: role,
    joined_at: isoTime(joinedAt),
  }
}

/** A name is one text here; clients expect two fields. */
function splitName(name: string): { first_name: string | null; last_name: string | null } {
  const [first, ...rest] = name.trim().split(/\s+/)
  return { first_name: first || null, last_name: rest.join(' ') || null }
}
