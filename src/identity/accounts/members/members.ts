import type { Now } from '#platform/core/clock.ts'
import { Fault } from '#platform/core/fault.ts'
import type { NewId } from '#platform/core/id.ts'
import { type Db, isUniqueViolation, type Query, type Tx } from '#platform/db/db.ts'
import { upsert } from '#platform/db/rows/upsert.ts'
import { wordsOccur } from '#platform/db/rows/words-occur.ts'
import type { Page, PageQuery } from '#platform/json/page.ts'
import type { Caller } from '../caller.ts'
import { disableKeysOf } from '../keys/keys-of-member.ts'
import { accountsLock } from '../lock.ts'
import { joinWorkspace } from '../workspace-members/membership-change.ts'
import { deleteMemberFromWorkspaces, setRoleInWorkspaces } from '../workspace-members/rows.ts'
import { workspaceRoleOf } from '../workspace-members/workspace-member.ts'
import { namedWorkspace } from '../workspaces.ts'
import { type Member, type MemberPatch, type NewMember, roleAsked } from './member.ts'
import { deletePasskeysOfMember } from './member-passkeys.ts'
import { recordMembership } from './record-membership.ts'
import { actsAsOwner, type MemberRole, managingRoles } from './role.ts'

type MembersDeps = { db: Db; now: Now; newId: NewId }

/** Lists the current members of an organization in the order of joining. @param page `q`: words of name or address. */
export async function listMembers(
  deps: { db: Db },
  organizationId: string,
  { q, ...page }: PageQuery & { q?: string | undefined },
): Promise<Page<Member>> {
  const current = members(deps.db.query, organizationId)
    .where('m.left_at', 'is', null)
    .$if(q !== undefined, (all) => all.where(wordsOccur(q!, ['m.name', 'u.email'])))
  const [data, count] = await Promise.all([
    current.orderBy('m.joined_at').orderBy('u.id').offset(page.offset).limit(page.limit).execute(),
    current
      .clearSelect()
      .select((member) => member.fn.countAll<number>().as('n'))
      .executeTakeFirstOrThrow(),
  ])
  return { data, total_count: count.n }
}

/** Finds a current or former membership. */
export function findMembership(tx: Query | Tx, organizationId: string, userId: string): Promise<Member | undefined> {
  return members(tx, organizationId).where('u.id', '=', userId).executeTakeFirst()
}

/** Finds the current or former member of the organization with this address. */
export async function findMemberByAddress(
  tx: Query | Tx,
  organizationId: string,
  email: string | undefined,
): Promise<Member | undefined> {
  if (email === undefined) return undefined
  return members(tx, organizationId).where('u.email', '=', email).executeTakeFirst()
}

/** Stores a membership, or restores an ended one. */
export async function storeMember(
  deps: Pick<MembersDeps, 'now' | 'newId'>,
  tx: Tx,
  organizationId: string,
  { email, name }: { email: string; name: string },
  role: MemberRole,
): Promise<Member> {
  const userId = await userWith(deps, tx, { email, name })
  const row = { organization_id: organizationId, user_id: userId, name, role, joined_at: deps.now(), left_at: null }
  await upsert(tx, 'memberships', [row], { key: ['organization_id', 'user_id'] }).execute()
  return requireMember(tx, organizationId, userId)
}

/** Sets the role in the organization and, to the corresponding one, the role in each workspace of the member. */
export async function setRole(tx: Tx, organizationId: string, userId: string, role: MemberRole): Promise<void> {
  await membership(tx, organizationId, userId).set({ role }).execute()
  await setRoleInWorkspaces(tx, organizationId, userId, workspaceRoleOf(role))
}

export async function isMember(tx: Query | Tx, organizationId: string, userId: string): Promise<boolean> {
  return (await findMember({ query: tx }, organizationId, userId)) !== undefined
}

/** Finds a current member of the organization. */
export async function findMember(
  db: { query: Query | Tx },
  organizationId: string,
  userId: string,
): Promise<Member | undefined> {
  const found = await members(db.query, organizationId).where('u.id', '=', userId).executeTakeFirst()
  return found?.leftAt === null ? found : undefined
}

/**
 * The user id for a name in a request: an id or an e-mail address. The user may have left the organization. A name
 * without `@` is taken as an id. Undefined for an address that no member has or had.
 */
export async function namedUser(
  db: { query: Query },
  organizationId: string,
  name: string,
): Promise<string | undefined> {
  if (!name.includes('@')) return name
  const found = await members(db.query, organizationId).where('u.email', '=', name.toLowerCase()).executeTakeFirst()
  return found?.userId
}

/**
 * Adds a person to the organization, or a former member again.
 * @throws Fault `conflict` for a current member; `invalid` for an unknown workspace.
 */
export async function addMember(deps: MembersDeps, caller: Caller, newMember: NewMember): Promise<Member> {
  const { organizationId } = caller
  return deps.db.exclusively(accountsLock(organizationId), async (tx, announce) => {
    const userId = await userWith(deps, tx, newMember)
    const before = await members(tx, organizationId).where('u.id', '=', userId).executeTakeFirst()
    if (before?.leftAt === null) {
      throw new Fault('conflict', `${newMember.email} belongs to the organization already.`)
    }
    const role = roleAsked(newMember, 'member')
    requireOwner(caller, role, before?.role)
    const after = await storeMember(deps, tx, organizationId, newMember, role)
    for (const { workspace, access } of newMember.workspaces ?? [{ workspace: caller.workspaceId }]) {
      const id = await namedWorkspace({ db: { query: tx } }, caller, workspace)
      await joinWorkspace({ deps, tx, announce, actor: caller }, id, userId, access ?? workspaceRoleOf(role), 'manual')
    }
    await recordMembership(deps, tx, caller, before ? 'member.rejoined' : 'member.joined', before ?? null, after)
    announce('organization.changed', organizationId)
    return after
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
  return deps.db.exclusively(accountsLock(organizationId), async (tx, announce) => {
    const before = await requireMember(tx, organizationId, userId)
    const role = roleAsked(patch, before.role)
    requireOwner(caller, role, before.role)
    const { name, email } = { ...before, ...patch }
    if (role === before.role && name === before.name && email === before.email) return before
    if (role !== before.role) await changeRole(tx, organizationId, before, role)
    if (name !== before.name) await membership(tx, organizationId, userId).set({ name }).execute()
    if (email !== before.email) await changeAddress(tx, organizationId, userId, email)
    const after = { ...before, role, name, email }
    await recordMembership(deps, tx, caller, 'member.updated', before, after)
    // Cached keys contain the permissions of their member.
    if (role !== before.role) announce('organization.changed', organizationId)
    return after
  })
}

/**
 * Ends a membership. The member's keys stay valid, unless they are disabled with it.
 * @returns the number of disabled keys.
 * @throws Fault `not_found`; `conflict` if no admin, or no valid management key, would remain.
 */
export async function removeMember(
  deps: MembersDeps,
  caller: Caller,
  userId: string,
  { disableKeys }: { disableKeys: boolean },
): Promise<number> {
  const { organizationId } = caller
  return deps.db.exclusively(accountsLock(organizationId), async (tx, announce) => {
    const before = await requireMember(tx, organizationId, userId)
    requireOwner(caller, before.role)
    if (managingRoles.includes(before.role)) await keepOneAdmin(tx, organizationId, userId)
    const leftAt = deps.now()
    await membership(tx, organizationId, userId).set({ left_at: leftAt }).execute()
    await deleteMemberFromWorkspaces(tx, organizationId, userId)
    await deletePasskeysOfMember(tx, organizationId, userId)
    await recordMembership(deps, tx, caller, 'member.left', before, { ...before, leftAt })
    announce('organization.changed', organizationId)
    return disableKeys ? disableKeysOf(deps, tx, announce, caller, userId) : 0
  })
}

function members(query: Query, organizationId: string) {
  return query
    .selectFrom('memberships as m')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .where('m.organization_id', '=', organizationId)
    .select(['u.id as userId', 'm.name', 'u.email', 'm.joined_at as joinedAt', 'm.left_at as leftAt'])
    .select((member) => member.ref('m.role').$castTo<MemberRole>().as('role'))
}

async function requireMember(tx: Tx, organizationId: string, userId: string): Promise<Member> {
  const found = await findMember({ query: tx }, organizationId, userId)
  if (found) return found
  throw new Fault('not_found', 'Member not found.')
}

/** Returns the user with this address, created if there is none. An existing user is not changed. */
async function userWith(
  deps: Pick<MembersDeps, 'now' | 'newId'>,
  tx: Tx,
  { email, name }: Pick<NewMember, 'email' | 'name'>,
): Promise<string> {
  const user = { id: deps.newId(), email, name, created_at: deps.now() }
  const { id } = await upsert(tx, 'users', [user], { key: ['email'], replace: ['email'] })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

async function changeRole(
  tx: Tx,
  organizationId: string,
  { userId, role }: Member,
  newRole: MemberRole,
): Promise<void> {
  if (managingRoles.includes(role) && !managingRoles.includes(newRole)) await keepOneAdmin(tx, organizationId, userId)
  await setRole(tx, organizationId, userId, newRole)
}

function membership(tx: Tx, organizationId: string, userId: string) {
  return tx.updateTable('memberships').where('organization_id', '=', organizationId).where('user_id', '=', userId)
}

/** Only owners can create and change owners, because otherwise an admin could become one. */
function requireOwner(caller: Caller, ...roles: (MemberRole | undefined)[]): void {
  if (!roles.includes('owner') || actsAsOwner(caller)) return
  throw new Fault('forbidden', 'Only an owner may make, change or remove an owner.')
}

/** The owners and admins in the order of joining. */
export function listManagers(query: Query | Tx, organizationId: string, limit: number): Promise<Member[]> {
  return members(query, organizationId)
    .where('m.left_at', 'is', null)
    .where('m.role', 'in', managingRoles)
    .orderBy('m.joined_at')
    .limit(limit)
    .execute()
}

/** Whether another member is an owner or admin. */
export async function hasOtherManager(tx: Tx, organizationId: string, userId: string): Promise<boolean> {
  const other = await members(tx, organizationId)
    .where('m.left_at', 'is', null)
    .where('m.role', 'in', managingRoles)
    .where('u.id', '!=', userId)
    .executeTakeFirst()
  return other !== undefined
}

async function keepOneAdmin(tx: Tx, organizationId: string, userId: string): Promise<void> {
  if (!(await hasOtherManager(tx, organizationId, userId)))
    throw new Fault('conflict', 'This is the last admin of the organization. Make another member an admin first.')
}

/** Changes the address of a person, unless they belong to other organizations too. */
async function changeAddress(tx: Tx, organizationId: string, userId: string, email: string): Promise<void> {
  const elsewhere = await tx
    .selectFrom('memberships')
    .where('user_id', '=', userId)
    .where('organization_id', '!=', organizationId)
    .select('user_id')
    .executeTakeFirst()
  if (elsewhere) throw new Fault('conflict', 'The address cannot be changed here: another organization uses it too.')
  try {
    await tx.updateTable('users').set({ email }).where('id', '=', userId).execute()
  } catch (error) {
    if (!isUniqueViolation(error)) throw error
    throw new Fault('conflict', `${email} is the address of another person.`)
  }
}
