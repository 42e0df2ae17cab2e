import type { Now } from '#platform/core/clock.ts'
import { Fault } from '#platform/core/fault.ts'
import type { NewId } from '#platform/core/id.ts'
import type { Db, Query, Tx } from '#platform/db/db.ts'
import { upsert } from '#platform/db/rows/upsert.ts'
import { wordsOccur } from '#platform/db/rows/words-occur.ts'
import type { Page, PageQuery } from '#platform/json/page.ts'
import { type MemberRole, managingRoles } from '../role.ts'
import { type Member, type NewMember, normalizeAddress } from './member.ts'
import { workspaceRoleOf } from './workspace-member.ts'
import { setRoleInWorkspaces } from './workspace-member-rows.ts'

type MembersDeps = { db: Db; now: Now; newId: NewId }

/** Lists the current members of an organization in the order of joining. @param page `q`: words of name or address. */
export async function listMembers(
  deps: { db: Db },
  organizationId: string,
  { q, ...page }: PageQuery & { q?: string | undefined },
): Promise<Page<Member>> {
  let current = selectMembers(deps.db.query, organizationId).where('m.left_at', 'is', null)
  if (q !== undefined) current = current.where(wordsOccur(q, ['m.name', 'u.email']))
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
export function findMembership(query: Query | Tx, organizationId: string, userId: string): Promise<Member | undefined> {
  return selectMembers(query, organizationId).where('u.id', '=', userId).executeTakeFirst()
}

/** Finds the current or former member of the organization with this address. */
export async function findMemberByAddress(
  query: Query | Tx,
  organizationId: string,
  email: string | undefined,
): Promise<Member | undefined> {
  if (email === undefined) return undefined
  return selectMembers(query, organizationId).where('u.email', '=', email).executeTakeFirst()
}

/** Stores a membership, or restores an ended one. */
export async function storeMember(
  deps: Pick<MembersDeps, 'now' | 'newId'>,
  tx: Tx,
  organizationId: string,
  { email, name }: { email: string; name: string },
  role: MemberRole,
): Promise<Member> {
  const userId = await findOrCreateUser(deps, tx, { email, name })
  const row = { organization_id: organizationId, user_id: userId, name, role, joined_at: deps.now(), left_at: null }
  await upsert(tx, 'memberships', [row], { key: ['organization_id', 'user_id'] }).execute()
  return requireMember(tx, organizationId, userId)
}

/** Sets the role in the organization, and the corresponding role in each workspace of the member. */
export async function setRole(tx: Tx, organizationId: string, userId: string, role: MemberRole): Promise<void> {
  await updateMembership(tx, organizationId, userId).set({ role }).execute()
  await setRoleInWorkspaces(tx, organizationId, userId, workspaceRoleOf(role))
}

export async function isMember(query: Query | Tx, organizationId: string, userId: string): Promise<boolean> {
  return (await findMember(query, organizationId, userId)) !== undefined
}

/** Finds a current member of the organization. */
export async function findMember(
  query: Query | Tx,
  organizationId: string,
  userId: string,
): Promise<Member | undefined> {
  const member = await findMembership(query, organizationId, userId)
  return member?.leftAt === null ? member : undefined
}

/**
 * Returns the user id for a name in a request, which is an email address or, without `@`, an id. The user may have left
 * the organization. Undefined for an address that no current or former member has.
 */
export async function resolveUserId(
  query: Query | Tx,
  organizationId: string,
  name: string,
): Promise<string | undefined> {
  if (!name.includes('@')) return name
  return (await findMemberByAddress(query, organizationId, normalizeAddress(name)))?.userId
}

/** Selects the current and former members of an organization. */
function selectMembers(query: Query, organizationId: string) {
  return query
    .selectFrom('memberships as m')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .where('m.organization_id', '=', organizationId)
    .select(['u.id as userId', 'm.name', 'u.email', 'm.joined_at as joinedAt', 'm.left_at as leftAt'])
    .select((member) => member.ref('m.role').$castTo<MemberRole>().as('role'))
}

export async function requireMember(tx: Tx, organizationId: string, userId: string): Promise<Member> {
  const member = await findMember(tx, organizationId, userId)
  if (member) return member
  throw new Fault('not_found', 'Member not found.')
}

/** Returns the user with this address, created if there is none. An existing user is not changed. */
export async function findOrCreateUser(
  deps: Pick<MembersDeps, 'now' | 'newId'>,
  tx: Tx,
  { email, name }: Pick<NewMember, 'email' | 'name'>,
): Promise<string> {
  const user = { id: deps.newId(), email, name, created_at: deps.now() }
  // Without an update, `returning` gives no row for an existing user.
  const { id } = await upsert(tx, 'users', [user], { key: ['email'], replace: ['email'] })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

export function updateMembership(tx: Tx, organizationId: string, userId: string) {
  return tx.updateTable('memberships').where('organization_id', '=', organizationId).where('user_id', '=', userId)
}

/** The owners and admins in the order of joining. */
export function listManagers(query: Query | Tx, organizationId: string, limit: number): Promise<Member[]> {
  return selectMembers(query, organizationId)
    .where('m.left_at', 'is', null)
    .where('m.role', 'in', managingRoles)
    .orderBy('m.joined_at')
    .limit(limit)
    .execute()
}

/** Whether another member is an owner or admin. */
export async function hasOtherManager(tx: Tx, organizationId: string, userId: string): Promise<boolean> {
  const other = await selectMembers(tx, organizationId)
    .where('m.left_at', 'is', null)
    .where('m.role', 'in', managingRoles)
    .where('u.id', '!=', userId)
    .executeTakeFirst()
  return other !== undefined
}
