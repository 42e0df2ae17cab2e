import { z } from 'zod'
import { strictFields } from '#lib/strict-fields.ts'
import { text } from '#lib/text.ts'

const Email = z
  .email({ pattern: z.regexes.html5Email, error: 'expected an e-mail address, such as ada@example.com' })
  .max(320)
  .toLowerCase()
  .describe('Their address, by which they are one and the same person wherever they belong. Kept in lower case.')

const Name = z
  .string()
  .trim()
  .pipe(text({ min: 1, max: 200 }))
  .meta({ minLength: 1, maxLength: 200, description: 'First and last names, as one text.' })

const role = z
  .enum(['org:admin', 'org:member'])
  .describe('An organization always has an admin. What a key may do is told by its kind, not by this.')

/** A new member of an organization. */
export const NewMember = strictFields({ email: Email, name: Name, role: role.default('org:member') }).meta({
  id: 'NewMember',
})
export type NewMember = z.output<typeof NewMember>

/** The fields of a member that may be changed. Fields that are left out stay as they are. */
export const MemberPatch = strictFields({ email: Email, name: Name, role }).partial().meta({ id: 'MemberPatch' })
export type MemberPatch = z.output<typeof MemberPatch>

export type Role = 'admin' | 'member'

/** A member, or one who has left: `leftAt` is then when, in milliseconds. */
export type Member = {
  userId: string
  name: string
  email: string
  role: Role
  joinedAt: number
  leftAt: number | null
}

export const roleOf = (told: z.output<typeof role>): Role => (told === 'org:admin' ? 'admin' : 'member')
