import type { Now } from '#platform/core/clock.ts'
import type { NewId } from '#platform/core/id.ts'
import type { WorkspaceRole } from '#platform/core/vocabulary.ts'
import type { Query, Tx } from '#platform/db/db.ts'
import type { Publish } from '#platform/db/signals.ts'
import { type Actor, recordChange } from '../../audit/audit.ts'
import { toWorkspaceMember, type WorkspaceMember } from './workspace-member.ts'
import { selectWorkspaceMembers, storeWorkspaceMember } from './workspace-member-rows.ts'

/** A transaction that changes memberships. */
export type MembershipChange = { deps: { now: Now; newId: NewId }; tx: Tx; publish: Publish; actor: Actor }

/** Adds one member or changes their role, with its audit record. */
export async function joinWorkspace(
  { deps, tx, publish, actor }: MembershipChange,
  workspaceId: string,
  userId: string,
  role: WorkspaceRole,
  source: WorkspaceMember['source'],
): Promise<WorkspaceMember> {
  const { organizationId } = actor
  const previousMembership = await findWorkspaceMember(tx, organizationId, workspaceId, userId)
  if (previousMembership?.access === role && previousMembership.source === source) return previousMembership
  await storeWorkspaceMember(tx, {
    id: deps.newId(),
    organization_id: organizationId,
    workspace_id: workspaceId,
    user_id: userId,
    role,
    source,
    created_at: deps.now(),
  })
  const updatedMembership = toWorkspaceMember(
    await selectMember(tx, organizationId, workspaceId, userId).executeTakeFirstOrThrow(),
  )
  const action = previousMembership ? 'workspace.member_updated' : 'workspace.member_added'
  await recordChange(deps, tx, actor, {
    action,
    targetKind: 'workspace',
    targetId: workspaceId,
    before: previousMembership ?? null,
    after: updatedMembership,
  })
  publish('organization.changed', organizationId)
  return updatedMembership
}

export async function findWorkspaceMember(
  query: Query | Tx,
  organizationId: string,
  workspaceId: string,
  userId: string,
): Promise<WorkspaceMember | undefined> {
  const row = await selectMember(query, organizationId, workspaceId, userId).executeTakeFirst()
  return row && toWorkspaceMember(row)
}

const selectMember = (query: Query | Tx, organizationId: string, workspaceId: string, userId: string) =>
  selectWorkspaceMembers(query, organizationId)
    .where('wm.workspace_id', '=', workspaceId)
    .where('wm.user_id', '=', userId)

/** All workspace memberships of a member. */
export async function readWorkspacesOfMember(
  query: Query | Tx,
  organizationId: string,
  userId: string,
): Promise<WorkspaceMember[]> {
  const rows = await selectWorkspaceMembers(query, organizationId).where('wm.user_id', '=', userId).execute()
  return rows.map(toWorkspaceMember)
}
