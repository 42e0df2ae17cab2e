import { findKeyRows } from '#identity/accounts/keys/key-rows.ts'
import type { Query, Tx } from '#platform/db/db.ts'
import type { Tables } from '#platform/db/tables.ts'
import type { Page, PageQuery } from '#platform/json/page.ts'

/** The kinds of targets that a guardrail can be assigned to. */
export type TargetKind = 'key' | 'member'

type Stored = Tables['guardrail_assignments']

/** An assignment; of a key with its name and label. */
export type AssignmentRow = Stored & { key_name: string | null; key_label: string | null }

/** Selects assignments of an organization, and optionally of one guardrail, workspace or list of targets. */
export type AssignmentFilter = {
  organizationId: string
  kind: TargetKind
  guardrailId?: string | undefined
  workspaceId?: string | undefined
  targets?: string[] | undefined
}

/** Lists assignments, oldest first; all of them without a page. Skips assignments of deleted keys. */
export async function findAssignments(
  query: Query,
  filter: AssignmentFilter,
  page?: PageQuery,
): Promise<AssignmentRow[]> {
  let found = matching(query, filter)
    .selectAll('a')
    .select(['k.name as key_name', 'k.label as key_label'])
    .orderBy('a.created_at')
    .orderBy('a.id')
  if (page) found = found.offset(page.offset).limit(page.limit)
  return found.execute()
}

export async function listAssignments(
  query: Query,
  filter: AssignmentFilter,
  page: PageQuery,
): Promise<Page<AssignmentRow>> {
  const [data, count] = await Promise.all([
    findAssignments(query, filter, page),
    matching(query, filter)
      .select((e) => e.fn.countAll<number>().as('n'))
      .executeTakeFirstOrThrow(),
  ])
  return { data, total_count: count.n }
}

function matching(query: Query, { organizationId, kind, guardrailId, workspaceId, targets }: AssignmentFilter) {
  let found = query
    .selectFrom('guardrail_assignments as a')
    .innerJoin('workspaces as w', 'w.id', 'a.workspace_id')
    .leftJoin('api_keys as k', 'k.hash', 'a.target_id')
    .where('w.organization_id', '=', organizationId)
    .where('a.target_kind', '=', kind)
  if (kind === 'key') found = found.where('k.hash', 'is not', null)
  if (guardrailId) found = found.where('a.guardrail_id', '=', guardrailId)
  if (workspaceId) found = found.where('a.workspace_id', '=', workspaceId)
  if (targets) found = found.where('a.target_id', 'in', targets)
  return found
}

export async function insertAssignments(tx: Tx, rows: Stored[]): Promise<void> {
  if (rows.length > 0) await tx.insertInto('guardrail_assignments').values(rows).execute()
}

export async function deleteAssignments(tx: Tx, ids: string[]): Promise<void> {
  if (ids.length > 0) await tx.deleteFrom('guardrail_assignments').where('id', 'in', ids).execute()
}

/**
 * Finds the keys or users that belong to the organization, with the workspace of each key. Skips former members.
 */
export async function findTargets(
  query: Query,
  organizationId: string,
  kind: TargetKind,
  ids: string[],
): Promise<Map<string, { workspaceId: string | null }>> {
  if (kind === 'key') {
    const keys = await findKeyRows(query, organizationId, ids)
    return new Map(keys.map((key) => [key.hash, { workspaceId: key.workspace_id }]))
  }
  const members = await query
    .selectFrom('memberships')
    .where('organization_id', '=', organizationId)
    .where('user_id', 'in', ids)
    .where('left_at', 'is', null)
    .select('user_id')
    .execute()
  return new Map(members.map((member) => [member.user_id, { workspaceId: null }]))
}
