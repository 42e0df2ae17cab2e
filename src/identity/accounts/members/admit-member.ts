import type { Now } from '#platform/core/clock.ts'
import { Fault } from '#platform/core/fault.ts'
import type { NewId } from '#platform/core/id.ts'
import type { AccessRole } from '#platform/core/vocabulary.ts'
import type { Tx } from '#platform/db/db.ts'
import type { Announce } from '#platform/db/signals.ts'
import type { Member } from './member.ts'
import { findMembership, hasOtherManager, setRole, storeMember } from './members.ts'
import { recordMembership } from './record-membership.ts'
import { accessOf, managingRoles } from './role.ts'

/** Somebody whom another service vouches for. */
type Admitted = {
  organizationId: string
  /** Who they are here, if they were here before. */
  userId: string | undefined
  email: string | undefined
  name: string
  /** What they are to be from now on; undefined to stay what they are. */
  role: AccessRole | undefined
  /** What they become as new members; undefined where they may not become any. */
  joinsAs: AccessRole | undefined
}

type AdmitDeps = { now: Now; newId: NewId }

/**
 * The member that somebody is, or becomes now.
 * @throws Fault `forbidden` for who was removed (only an admin takes them back), and for who may not join.
 */
export async function admitMember(deps: AdmitDeps, tx: Tx, announce: Announce, person: Admitted): Promise<Member> {
  const { organizationId, userId } = person
  const known = userId === undefined ? undefined : await findMembership(tx, organizationId, userId)
  if (!known) return join(deps, tx, announce, person)
  if (known.leftAt !== null) {
    throw new Fault('forbidden', 'You have left the organization here: one of its admins can take you back.')
  }
  const { role } = person
  if (role === undefined || accessOf(known.role) === role) return known
  // Somebody must be left who can mend what an issuer has wrong.
  const isLast = managingRoles.includes(known.role) && !(await hasOtherManager(tx, organizationId, known.userId))
  if (isLast && !managingRoles.includes(role)) return known
  const after = { ...known, role }
  await setRole(tx, organizationId, known.userId, role)
  await recordMembership(deps, tx, itself(person, known), 'member.updated', known, after)
  announce('organization.changed', organizationId)
  return after
}

async function join(deps: AdmitDeps, tx: Tx, announce: Announce, person: Admitted): Promise<Member> {
  const { organizationId, email, name, joinsAs } = person
  if (email === undefined) {
    throw new Fault('forbidden', 'The issuer tells no e-mail address of yours that it has verified.')
  }
  if (joinsAs === undefined) {
    throw new Fault('forbidden', `${email} is no member of the organization: one of its admins can add it.`)
  }
  const member = await storeMember(deps, tx, organizationId, { email, name }, joinsAs)
  await recordMembership(deps, tx, itself(person, member), 'member.joined', null, member)
  announce('organization.changed', organizationId)
  return member
}

/** Nobody else did it. */
const itself = ({ organizationId }: Admitted, { userId }: Member) => ({ organizationId, userId, keyHash: null })
