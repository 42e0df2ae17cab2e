import type { Now } from '#platform/core/clock.ts'
import { Fault } from '#platform/core/fault.ts'
import type { NewId } from '#platform/core/id.ts'
import type { Db, Query, Tx } from '#platform/db/db.ts'
import { accountsLock } from '../accounts/accounts-lock.ts'
import { ensureConsoleKey } from '../accounts/keys/console-key.ts'
import type { KeyOwner } from '../accounts/keys/insert-key.ts'
import { findMember, listManagers } from '../accounts/members/members.ts'
import { reachesAllWorkspaces } from '../accounts/role.ts'

/**
 * Returns the workspace that `name` identifies by ID or slug, or else the oldest one that the member has access to.
 * Undefined if the member has access to no such workspace.
 */
export async function findWorkspaceId(
  query: Query | Tx,
  { organizationId, userId }: Pick<KeyOwner, 'organizationId' | 'userId'>,
  name?: string,
): Promise<string | undefined> {
  const member = await findMember(query, organizationId, userId)
  if (!member) return undefined
  let matching = query.selectFrom('workspaces as w').where('w.organization_id', '=', organizationId)
  if (!reachesAllWorkspaces(member.role)) {
    const workspaceIds = query.selectFrom('workspace_members').where('user_id', '=', userId).select('workspace_id')
    matching = matching.where('w.id', 'in', workspaceIds)
  }
  if (name !== undefined) {
    matching = matching
      .where((workspace) => workspace.or([workspace('w.id', '=', name), workspace('w.slug', '=', name)]))
      // A slug may look like the ID of another workspace; the ID wins.
      .orderBy((workspace) => workspace.case().when('w.id', '=', name).then(0).else(1).end())
  }
  const row = await matching.orderBy('w.created_at').orderBy('w.id').select('w.id').executeTakeFirst()
  return row?.id
}

/**
 * Returns the hash of the console key of a member in a workspace. Creates the key if it is missing. Undefined if the member
 * has lost access to the workspace.
 */
export async function ensureConsoleKeyInWorkspace(
  deps: { db: Db; now: Now; newId: NewId },
  member: Pick<KeyOwner, 'organizationId' | 'userId'>,
  workspaceId: string,
): Promise<string | undefined> {
  return deps.db.exclusively(accountsLock(member.organizationId), async (tx, publish) => {
    const hasAccess = (await findWorkspaceId(tx, member, workspaceId)) === workspaceId
    return hasAccess ? ensureConsoleKey(deps, tx, publish, { ...member, workspaceId }) : undefined
  })
}

/** The maximum number of admins in the message. */
const maxListedManagers = 3

/** The error for a member without a workspace. It names admins to ask. Clients recognize it by `reason`. */
export async function noWorkspaceFault(query: Query | Tx, organizationId: string): Promise<Fault> {
  const managers = await listManagers(query, organizationId, maxListedManagers)
  const people = managers.map(({ name, email }) => `${name} (${email})`).join(' or ')
  return new Fault(
    'forbidden',
    `You do not belong to a workspace yet. Ask ${people || 'an administrator'} to add you to one, then sign in again.`,
    { metadata: { reason: 'no_workspace' } },
  )
}
