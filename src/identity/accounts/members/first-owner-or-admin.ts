import { Fault } from '#platform/core/fault.ts'
import type { Query } from '#platform/db/db.ts'
import type { Caller } from '../caller.ts'
import { managingRoles } from '../role.ts'

type Owner = Pick<Caller, 'organizationId' | 'userId' | 'workspaceId'>

/**
 * Returns the owner with the oldest membership, or without an owner the admin with the oldest one; and the oldest
 * workspace.
 * @throws Fault `not_found` if the database is empty.
 */
export async function findFirstOwnerOrAdmin({ db }: { db: { query: Query } }): Promise<Owner> {
  const member = await db.query
    .selectFrom('memberships as m')
    .innerJoin('workspaces as w', 'w.organization_id', 'm.organization_id')
    .where('m.role', 'in', managingRoles)
    .where('m.left_at', 'is', null)
    .orderBy((expression) => expression.case().when('m.role', '=', 'owner').then(0).else(1).end())
    .orderBy('m.joined_at')
    .orderBy('w.created_at')
    .select(['m.organization_id as organizationId', 'm.user_id as userId', 'w.id as workspaceId'])
    .executeTakeFirst()
  if (!member) throw new Fault('not_found', 'The database is empty. Start the service once: it prints the first keys.')
  return member
}
