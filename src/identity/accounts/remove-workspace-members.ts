import type { Now } from '#platform/core/clock.ts'
import { Fault } from '#platform/core/fault.ts'
import type { NewId } from '#platform/core/id.ts'
import type { Db, Tx } from '#platform/db/db.ts'
import { recordChange } from '../audit/audit.ts'
import { accountsLock } from './accounts-lock.ts'
import type { Caller } from './caller.ts'
import { consoleKeyHash } from './keys/console-key.ts'
import { disableKey } from './keys/disable-key.ts'
import { findEnabledKeysInWorkspace } from './keys/key-rows.ts'
import type { Member } from './members/member.ts'
import type { RemovedWorkspaceMembers } from './members/workspace-member.ts'
import { deleteWorkspaceMember } from './members/workspace-member-rows.ts'
import { resolveMembers } from './members/workspace-members.ts'
import { findWorkspaceMember, type MembershipChange } from './members/workspace-membership.ts'
import { getWorkspace } from './workspaces.ts'

/**
 * Removes members from a workspace: all of them or none. Members of the organization who are not in the workspace are skipped.
 * @returns how many were removed.
 * @throws Fault `not_found`; `invalid` if the organization has no such member, or a member has enabled keys in the workspace and
 * `disable_keys` is not set.
 */
export function removeWorkspaceMembers(
  deps: { db: Db; now: Now; newId: NewId },
  caller: Caller,
  workspace: string,
  { user_ids, disable_keys }: RemovedWorkspaceMembers,
): Promise<number> {
  return deps.db.exclusively(accountsLock(caller.organizationId), async (tx, publish) => {
    const { id } = await getWorkspace({ db: { query: tx } }, caller, workspace)
    const change = { deps, tx, publish, actor: caller }
    let removed = 0
    for (const member of await resolveMembers(tx, caller, user_ids)) {
      if (!disable_keys) await requireNoEnabledKeys(tx, id, member)
      if (await leaveWorkspace(change, id, member.userId)) removed++
    }
    return removed
  })
}

async function requireNoEnabledKeys(tx: Tx, workspaceId: string, { userId, email }: Member): Promise<void> {
  const { length } = await findKeysToDisable(tx, workspaceId, userId)
  if (length === 0) return
  const keys = length === 1 ? '1 enabled key' : `${length} enabled keys`
  throw new Fault(
    'invalid',
    `${email} has ${keys} in the workspace. Disable or delete them first, or set disable_keys to true.`,
  )
}

/** Removes one member and disables their keys in the workspace. @returns whether they were a member. */
export async function leaveWorkspace(
  { deps, tx, publish, actor }: MembershipChange,
  workspaceId: string,
  userId: string,
): Promise<boolean> {
  const { organizationId } = actor
  const membership = await findWorkspaceMember(tx, organizationId, workspaceId, userId)
  if (!membership) return false
  const keys = await findKeysToDisable(tx, workspaceId, userId)
  for (const key of keys) await disableKey(deps, tx, publish, actor, key)
  await deleteWorkspaceMember(tx, membership.id)
  await recordChange(deps, tx, actor, {
    action: 'workspace.member_removed',
    targetKind: 'workspace',
    targetId: workspaceId,
    before: membership,
    after: null,
  })
  publish('organization.changed', organizationId)
  return true
}

/** Excludes the member's console key, which is valid only during a membership. */
async function findKeysToDisable(tx: Tx, workspaceId: string, userId: string) {
  const keys = await findEnabledKeysInWorkspace(tx, workspaceId, userId)
  return keys.filter(({ hash }) => hash !== consoleKeyHash({ workspaceId, userId }))
}
