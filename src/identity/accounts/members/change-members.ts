import type { Now } from '#platform/core/clock.ts'
import { Fault } from '#platform/core/fault.ts'
import type { NewId } from '#platform/core/id.ts'
import { type Db, isUniqueViolation, type Tx } from '#platform/db/db.ts'
import { accountsLock } from '../accounts-lock.ts'
import type { Caller } from '../caller.ts'
import { type MemberRole, managingRoles } from '../role.ts'
import { resolveWorkspaceId } from '../workspaces.ts'
import { type Member, type MemberPatch, type NewMember, requestedRole } from './member.ts'
import { requireOtherAdmin, requireOwnerForOwners } from './member-access.ts'
import { findMembership, findOrCreateUser, requireMember, setRole, storeMember, updateMembership } from './members.ts'
import { recordMembership } from './record-membership.ts'
import { workspaceRoleOf } from './workspace-member.ts'
import { joinWorkspace } from './workspace-membership.ts'

type MembersDeps = { db: Db; now: Now; newId: NewId }

/**
 * Adds a person to the organization, or a former member again.
 * @throws Fault `conflict` for a current member; `invalid` for an unknown workspace.
 */
export async function addMember(deps: MembersDeps, caller: Caller, newMember: NewMember): Promise<Member> {
  const { organizationId } = caller
  return deps.db.exclusively(accountsLock(organizationId), async (tx, publish) => {
    const userId = await findOrCreateUser(deps, tx, newMember)
    const formerMember = await findMembership(tx, organizationId, userId)
    if (formerMember?.leftAt === null) {
      throw new Fault('conflict', `${newMember.email} belongs to the organization already.`)
    }
    const role = requestedRole(newMember, 'member')
    requireOwnerForOwners(caller, role, formerMember?.role)
    const addedMember = await storeMember(deps, tx, organizationId, newMember, role)
    for (const { workspace, access } of newMember.workspaces ?? [{ workspace: caller.workspaceId }]) {
      const id = await resolveWorkspaceId({ db: { query: tx } }, caller, workspace)
      await joinWorkspace({ deps, tx, publish, actor: caller }, id, userId, access ?? workspaceRoleOf(role), 'manual')
    }
    await recordMembership(
      deps,
      tx,
      caller,
      formerMember ? 'member.rejoined' : 'member.joined',
      formerMember ?? null,
      addedMember,
    )
    publish('organization.changed', organizationId)
    return addedMember
  })
}

/**
 * Changes a member. The name is stored per organization, the address per person.
 * @throws Fault `not_found`; `conflict` if no admin would remain, or another organization uses the address too.
 */
export async function changeMember(
  deps: MembersDeps,
  caller: Caller,
  userId: string,
  patch: MemberPatch,
): Promise<Member> {
  const { organizationId } = caller
  return deps.db.exclusively(accountsLock(organizationId), async (tx, publish) => {
    const previousMember = await requireMember(tx, organizationId, userId)
    const role = requestedRole(patch, previousMember.role)
    requireOwnerForOwners(caller, role, previousMember.role)
    const { name, email } = { ...previousMember, ...patch }
    if (role === previousMember.role && name === previousMember.name && email === previousMember.email)
      return previousMember
    if (role !== previousMember.role) await changeRole(tx, organizationId, previousMember, role)
    if (name !== previousMember.name) await updateMembership(tx, organizationId, userId).set({ name }).execute()
    if (email !== previousMember.email) await changeAddress(tx, organizationId, userId, email)
    const updatedMember = { ...previousMember, role, name, email }
    await recordMembership(deps, tx, caller, 'member.updated', previousMember, updatedMember)
    // Cached keys contain the permissions of their member.
    if (role !== previousMember.role) publish('organization.changed', organizationId)
    return updatedMember
  })
}

async function changeRole(
  tx: Tx,
  organizationId: string,
  { userId, role }: Member,
  newRole: MemberRole,
): Promise<void> {
  if (managingRoles.includes(role) && !managingRoles.includes(newRole))
    await requireOtherAdmin(tx, organizationId, userId)
  await setRole(tx, organizationId, userId, newRole)
}

/** Changes the address of a person, unless they belong to other organizations too. */
async function changeAddress(tx: Tx, organizationId: string, userId: string, email: string): Promise<void> {
  const otherMembership = await tx
    .selectFrom('memberships')
    .where('user_id', '=', userId)
    .where('organization_id', '!=', organizationId)
    .select('user_id')
    .executeTakeFirst()
  if (otherMembership)
    throw new Fault(
      'conflict',
      'The address cannot be changed, because this user also belongs to another organization.',
    )
  try {
    await tx.updateTable('users').set({ email }).where('id', '=', userId).execute()
  } catch (error) {
    if (!isUniqueViolation(error)) throw error
    throw new Fault('conflict', `${email} is the address of another person.`)
  }
}
