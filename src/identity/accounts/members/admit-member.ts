import type { Now } from '#platform/core/clock.ts'
import { Fault } from '#platform/core/fault.ts'
import type { NewId } from '#platform/core/id.ts'
import type { AccessRole } from '#platform/core/vocabulary.ts'
import type { Tx } from '#platform/db/db.ts'
import type { Publish } from '#platform/db/signals.ts'
import { accessOf, managingRoles } from '../role.ts'
import type { Member } from './member.ts'
import { findMembership, hasOtherManager, setRole, storeMember } from './members.ts'
import { recordMembership } from './record-membership.ts'

/** A person whom an issuer has authenticated. */
type AuthenticatedPerson = {
  organizationId: string
  /** The current or former member; undefined for a new one. */
  userId: string | undefined
  email: string | undefined
  name: string
  /** The new role; undefined to keep the current role. */
  role: AccessRole | undefined
  /** The role if the person becomes a member now; undefined if new members are not allowed. */
  newMemberRole: AccessRole | undefined
}

type AdmitDeps = { now: Now; newId: NewId }

/**
 * Returns the member for a person, created if necessary.
 * @throws Fault `forbidden` for a removed member, whom only an admin can add again, and if new members are not allowed.
 */
export async function admitMember(
  deps: AdmitDeps,
  tx: Tx,
  publish: Publish,
  person: AuthenticatedPerson,
): Promise<Member> {
  const { organizationId, userId } = person
  const existing = userId === undefined ? undefined : await findMembership(tx, organizationId, userId)
  if (!existing) return joinOrganization(deps, tx, publish, person)
  if (existing.leftAt !== null) {
    throw new Fault('forbidden', 'You were removed from the organization. Ask one of its admins to add you again.')
  }
  const { role } = person
  if (role === undefined || accessOf(existing.role) === role) return existing
  // One admin must remain, to correct wrong roles from an issuer.
  const isLast = managingRoles.includes(existing.role) && !(await hasOtherManager(tx, organizationId, existing.userId))
  if (isLast && !managingRoles.includes(role)) return existing
  const updatedMember = { ...existing, role }
  await setRole(tx, organizationId, existing.userId, role)
  await recordMembership(deps, tx, selfActor(person, existing), 'member.updated', existing, updatedMember)
  publish('organization.changed', organizationId)
  return updatedMember
}

async function joinOrganization(
  deps: AdmitDeps,
  tx: Tx,
  publish: Publish,
  person: AuthenticatedPerson,
): Promise<Member> {
  const { organizationId, email, name, newMemberRole } = person
  if (email === undefined) {
    throw new Fault(
      'forbidden',
      'The issuer sent no verified email address for you. If it sends addresses without "email_verified", the operator can trust them (setting oidc_trust_addresses); if they are in another claim, name it in oidc_email_claim.',
    )
  }
  if (newMemberRole === undefined) {
    throw new Fault('forbidden', `${email} does not belong to the organization. Ask one of its admins to add it.`)
  }
  const member = await storeMember(deps, tx, organizationId, { email, name }, newMemberRole)
  await recordMembership(deps, tx, selfActor(person, member), 'member.joined', null, member)
  publish('organization.changed', organizationId)
  return member
}

/** The member as the actor of the change. */
const selfActor = ({ organizationId }: AuthenticatedPerson, { userId }: Member) => ({
  organizationId,
  userId,
  keyHash: null,
})
