import { recordChange } from '#audit/audit.ts'
import type { Db, Tx } from '#db/db.ts'
import { isoTime, type Now } from '#lib/clock.ts'
import { Fault } from '#lib/fault.ts'
import type { NewId } from '#lib/id.ts'
import type { Page, PageQuery } from '#lib/page.ts'
import type { Caller } from './caller.ts'
import { accountsLock } from './lock.ts'

export type Role = 'admin' | 'member'

export type Member = { userId: string; name: string; email: string; role: Role; joinedAt: number }

type Deps = { db: Db; now: Now; newId: NewId }

/** Those who belong to an organization now, in the order in which they joined. */
export async function listMembers(deps: { db: Db }, organizationId: string, page: PageQuery): Promise<Page<Member>> {
  const current = deps.db.query
    .selectFrom('memberships as m')
    .innerJoin('users as u', 'u.id', 'm.user_id')
    .where('m.organization_id', '=', organizationId)
    .where('m.left_at', 'is', null)
  const [rows, count] = await Promise.all([
    current
      .select(['u.id as userId', 'u.name', 'u.email', 'm.role', 'm.joined_at as joinedAt'])
      .orderBy('m.joined_at')
      .orderBy('u.id')
      .offset(page.offset)
      .limit(page.limit)
      .execute(),
    current.select((member) => member.fn.countAll<number>().as('n')).executeTakeFirstOrThrow(),
  ])
  return { data: rows.map((row) => ({ ...row, role: row.role as Role })), total_count: count.n }
}

export async function isMember(tx: Tx, organizationId: string, userId: string): Promise<boolean> {
  const membership = await findMembership(tx, organizationId, userId)
  return membership !== undefined && membership.left_at === null
}

/**
 * Ends a membership. The member's keys go on working, but from now on act for somebody who has left.
 * @throws Fault `conflict` when it is the last admin.
 */
export async function leaveOrganization(deps: Deps, caller: Caller, userId: string): Promise<void> {
  await changeMembership(deps, caller, userId, 'member.left', deps.now())
}

/** Takes somebody back who has left. */
export async function rejoinOrganization(deps: Deps, caller: Caller, userId: string): Promise<void> {
  await changeMembership(deps, caller, userId, 'member.rejoined', null)
}

async function changeMembership(
  deps: Deps,
  caller: Caller,
  userId: string,
  action: 'member.left' | 'member.rejoined',
  leftAt: number | null,
): Promise<void> {
  const { organizationId } = caller
  await deps.db.exclusively(accountsLock(organizationId), async (tx, announce) => {
    const before = await findMembership(tx, organizationId, userId)
    if (!before) throw new Fault('not_found', 'The organization has no such member.')
    if ((before.left_at === null) === (leftAt === null)) return
    if (leftAt !== null && before.role === 'admin') await keepOneAdmin(tx, organizationId, userId)
    await tx
      .updateTable('memberships')
      .set({ left_at: leftAt })
      .where('organization_id', '=', organizationId)
      .where('user_id', '=', userId)
      .execute()
    await recordChange(deps, tx, caller, {
      action,
      targetKind: 'member',
      targetId: userId,
      before: membershipRecord(before),
      after: membershipRecord({ ...before, left_at: leftAt }),
    })
    announce('organization.changed', organizationId)
  })
}

async function keepOneAdmin(tx: Tx, organizationId: string, userId: string): Promise<void> {
  const other = await tx
    .selectFrom('memberships')
    .where('organization_id', '=', organizationId)
    .where('role', '=', 'admin')
    .where('left_at', 'is', null)
    .where('user_id', '!=', userId)
    .select('user_id')
    .executeTakeFirst()
  if (!other) throw new Fault('conflict', 'The last admin cannot leave the organization: make somebody else one first.')
}

type Membership = { role: string; left_at: number | null }

function findMembership(tx: Tx, organizationId: string, userId: string): Promise<Membership | undefined> {
  return tx
    .selectFrom('memberships')
    .where('organization_id', '=', organizationId)
    .where('user_id', '=', userId)
    .select(['role', 'left_at'])
    .executeTakeFirst()
}

function membershipRecord({ role, left_at }: Membership) {
  return { role, left_at: left_at === null ? null : isoTime(left_at) }
}
