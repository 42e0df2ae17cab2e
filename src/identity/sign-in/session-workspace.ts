import type { Now } from '#platform/core/clock.ts'
import type { NewId } from '#platform/core/id.ts'
import type { Db, Query, Tx } from '#platform/db/db.ts'
import { consoleKey } from '../accounts/keys/console-key.ts'
import type { KeyOwner } from '../accounts/keys/insert-key.ts'
import { accountsLock } from '../accounts/lock.ts'
import { findMember } from '../accounts/members/members.ts'
import { reachesAllWorkspaces } from '../accounts/members/role.ts'

/**
 * The oldest workspace that a current member has access to, or the one named by ID or slug. Undefined if there is none.
 */
export async function workspaceOf(
  query: Query | Tx,
  { organizationId, userId }: Pick<KeyOwner, 'organizationId' | 'userId'>,
  name?: string,
): Promise<string | undefined> {
  const member = await findMember({ query }, organizationId, userId)
  if (!member) return undefined
  const own = query.selectFrom('workspace_members').where('user_id', '=', userId).select('workspace_id')
  const found = await query
    .selectFrom('workspaces as w')
    .where('w.organization_id', '=', organizationId)
    .$if(!reachesAllWorkspaces(member.role), (workspaces) => workspaces.where('w.id', 'in', own))
    .$if(name !== undefined, (workspaces) =>
      workspaces
        .where((workspace) => workspace.or([workspace('w.id', '=', name!), workspace('w.slug', '=', name!)]))
        // A slug may look like the ID of another workspace; the ID wins.
        .orderBy((workspace) => workspace.case().when('w.id', '=', name!).then(0).else(1).end()),
    )
    .orderBy('w.created_at')
    .orderBy('w.id')
    .select('w.id')
    .executeTakeFirst()
  return found?.id
}

/** The hash of the console key of a member in a workspace that they have access to, created if it is missing. */
export async function consoleKeyIn(
  deps: { db: Db; now: Now; newId: NewId },
  member: Pick<KeyOwner, 'organizationId' | 'userId'>,
  name?: string,
): Promise<string | undefined> {
  if ((await workspaceOf(deps.db.query, member, name)) === undefined) return undefined
  return deps.db.exclusively(accountsLock(member.organizationId), async (tx, announce) => {
    const workspaceId = await workspaceOf(tx, member, name)
    return workspaceId === undefined ? undefined : consoleKey(deps, tx, announce, { ...member, workspaceId })
  })
}
