import type { Now } from '#platform/core/clock.ts'
import { Fault } from '#platform/core/fault.ts'
import type { NewId } from '#platform/core/id.ts'
import type { Db, Tx } from '#platform/db/db.ts'
import { wordsOccur } from '#platform/db/rows/words-occur.ts'
import type { Page, PageQuery } from '#platform/json/page.ts'
import { accountsLock } from '../accounts-lock.ts'
import type { Caller } from '../caller.ts'
import { getWorkspace } from '../workspaces.ts'
import type { Member } from './member.ts'
import { findMember, resolveUserId } from './members.ts'
import {
  type AddedWorkspaceMembers,
  toWorkspaceMember,
  type WorkspaceMember,
  workspaceRoleOf,
} from './workspace-member.ts'
import { selectWorkspaceMembers } from './workspace-member-rows.ts'
import { joinWorkspace } from './workspace-membership.ts'

type MembersDeps = { db: Db; now: Now; newId: NewId }

/** The explicit members of a workspace, in the order of joining. @throws Fault `not_found`. */
export async function listWorkspaceMembers(
  deps: { db: Db },
  caller: Caller,
  workspace: string,
  { q, offset, limit }: PageQuery & { q?: string | undefined },
): Promise<Page<WorkspaceMember>> {
  const { id } = await getWorkspace(deps, caller, workspace)
  let matching = selectWorkspaceMembers(deps.db.query, caller.organizationId).where('wm.workspace_id', '=', id)
  if (q !== undefined) matching = matching.where(wordsOccur(q, ['m.name', 'u.email']))
  const [rows, count] = await Promise.all([
    matching.orderBy('wm.created_at').orderBy('wm.id').offset(offset).limit(limit).execute(),
    matching
      .clearSelect()
      .select((member) => member.fn.countAll<number>().as('n'))
      .executeTakeFirstOrThrow(),
  ])
  return { data: rows.map(toWorkspaceMember), total_count: count.n }
}

/** Adds members to a workspace or changes their role there: all of them or none. @throws Fault `not_found` or `invalid`. */
export function addWorkspaceMembers(
  deps: MembersDeps,
  caller: Caller,
  workspace: string,
  { user_ids, access }: AddedWorkspaceMembers,
): Promise<WorkspaceMember[]> {
  return deps.db.exclusively(accountsLock(caller.organizationId), async (tx, publish) => {
    const { id } = await getWorkspace({ db: { query: tx } }, caller, workspace)
    const change = { deps, tx, publish, actor: caller }
    const added: WorkspaceMember[] = []
    for (const member of await resolveMembers(tx, caller, user_ids))
      added.push(await joinWorkspace(change, id, member.userId, access ?? workspaceRoleOf(member.role), 'manual'))
    return added
  })
}

/** Finds members by id or email address. @throws Fault `invalid` for an unknown one. */
export async function resolveMembers(tx: Tx, { organizationId }: Caller, names: string[]): Promise<Member[]> {
  const members = new Map<string, Member>()
  for (const name of names) {
    const userId = await resolveUserId(tx, organizationId, name)
    const member = userId === undefined ? undefined : await findMember(tx, organizationId, userId)
    if (!member) throw new Fault('invalid', `Invalid request: user_ids: the organization has no member "${name}"`)
    members.set(member.userId, member)
  }
  return [...members.values()]
}
