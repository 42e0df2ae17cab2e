import type { Insertable } from 'kysely'
import type { Query, Tx } from '#platform/db/db.ts'
import { upsert } from '#platform/db/rows/upsert.ts'
import type { Tables } from '#platform/db/tables.ts'

/** The memberships of current members of the organization, with their names. */
export function selectWorkspaceMembers(query: Query | Tx, organizationId: string) {
  return query
    .selectFrom('workspace_members as wm')
    .innerJoin('memberships as m', (join) =>
      join.onRef('m.organization_id', '=', 'wm.organization_id').onRef('m.user_id', '=', 'wm.user_id'),
    )
    .innerJoin('users as u', 'u.id', 'wm.user_id')
    .where('wm.organization_id', '=', organizationId)
    .where('m.left_at', 'is', null)
    .select(['wm.id', 'wm.workspace_id', 'wm.user_id', 'wm.role', 'wm.source', 'wm.created_at', 'm.name', 'u.email'])
    .select('m.role as organization_role')
}

/** Adds a member. An existing member gets the new role and source. */
export async function storeWorkspaceMember(tx: Tx, row: Insertable<Tables['workspace_members']>): Promise<void> {
  await upsert(tx, 'workspace_members', [row], {
    key: ['workspace_id', 'user_id'],
    replace: ['role', 'source'],
  }).execute()
}

export async function deleteWorkspaceMember(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('workspace_members').where('id', '=', id).execute()
}

/** Ends all workspace memberships of a member who leaves the organization. */
export async function deleteMemberFromWorkspaces(tx: Tx, organizationId: string, userId: string): Promise<void> {
  await tx
    .deleteFrom('workspace_members')
    .where('organization_id', '=', organizationId)
    .where('user_id', '=', userId)
    .execute()
}

/** Sets the role of a member in all their workspaces. */
export async function setRoleInWorkspaces(tx: Tx, organizationId: string, userId: string, role: string): Promise<void> {
  await tx
    .updateTable('workspace_members')
    .set({ role })
    .where('organization_id', '=', organizationId)
    .where('user_id', '=', userId)
    .execute()
}
