import { Fault } from '#platform/core/fault.ts'
import { z } from '#platform/json/schema.ts'
import { strictFields } from '#platform/json/strict-fields.ts'
import { text } from '#platform/json/text.ts'
import { type MemberRole, managingRoles, memberRoles } from '../role.ts'
import { JoinedWorkspace } from './workspace-member.ts'

const Email = z
  .email({ pattern: z.regexes.html5Email, error: 'expected an email address, such as ada@example.com' })
  .max(320)
  .toLowerCase()
  .describe('The email address, which identifies a person across organizations. Stored in lower case.')

/**
 * Converts an email address to lower case, the form in which addresses are stored and compared. Keeps the Kelvin sign: its
 * lower case is the letter k, so another address would become that of a member.
 */
export const normalizeAddress = (address: string) => address.replace(/[^\u212a]+/g, (part) => part.toLowerCase())

const Name = z
  .string()
  .trim()
  .pipe(text({ min: 1, max: 200 }))
  .meta({ minLength: 1, maxLength: 200, description: 'First and last name.' })

const role = z
  .enum(['org:admin', 'org:member'])
  .describe('A simplified form of `access`: `org:admin` for `owner` and `admin`. Set either this field or `access`.')

const access = z
  .enum(memberRoles)
  .describe(
    'The role of the member in browser sessions. `owner` and `admin`: all permissions. `developer`: access to their own objects. `viewer`: read access. `member`: like `developer`, and their keys see all requests of their workspace. An organization always has an owner or admin. The permissions of a key depend on its kind.',
  )

/** A new member of an organization. */
export const NewMember = strictFields({
  email: Email,
  name: Name,
  role: role.optional(),
  access: access.optional(),
  workspaces: z
    .array(JoinedWorkspace)
    .max(100)
    .optional()
    .describe('The workspaces to join. Defaults to the workspace of the calling key.'),
}).meta({ id: 'NewMember' })
export type NewMember = z.output<typeof NewMember>

/** The fields of a member that can be changed. Omitted fields are not changed. */
export const MemberPatch = strictFields({ email: Email, name: Name, role, access })
  .partial()
  .meta({ id: 'MemberPatch' })
export type MemberPatch = z.output<typeof MemberPatch>

/** A current or former member. `leftAt` is the end of the membership, in milliseconds. */
export type Member = {
  userId: string
  name: string
  email: string
  role: MemberRole
  joinedAt: number
  leftAt: number | null
}

/** Maps a role to one of the two roles of the OpenRouter API. */
export const simplifiedRole = (memberRole: MemberRole): z.output<typeof role> =>
  managingRoles.includes(memberRole) ? 'org:admin' : 'org:member'

/**
 * Returns the requested role. A member whose role already maps to the requested `role` keeps their role.
 * @throws Fault `invalid` if the two fields contradict each other.
 */
export function requestedRole(
  { role, access }: Pick<MemberPatch, 'role' | 'access'>,
  currentRole: MemberRole,
): MemberRole {
  if (access !== undefined && role !== undefined && simplifiedRole(access) !== role)
    throw new Fault('invalid', `Invalid request: role: "${role}" contradicts access; one of the two is enough`)
  if (access !== undefined) return access
  if (role === undefined || simplifiedRole(currentRole) === role) return currentRole
  return role === 'org:admin' ? 'admin' : 'member'
}
