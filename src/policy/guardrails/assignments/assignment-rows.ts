import { findKeyRows } from '#identity/accounts/keys/key-rows.ts'
import type { Query, Tx } from '#platform/db/db.ts'
import type { Tables } from '#platform/db/tables.ts'
import type { Page, PageQuery } from '#platform/json/page.ts'

/** The kinds of targets that a guardrail can be assigned to. */
export type TargetKind = 'key' | 'member'

type StoredAssignment = Tables['guardrail_assignments']

/** An assignment, with the name and label of its target if this is a key. */
export type AssignmentRow = StoredAssignment & { key_name: string | null; key_label: string | null }

/** Selects assignments of an organization, and optionally of one guardrail, workspace or list of targets. */
type AssignmentFilter = {
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
  let selection = selectAssignments(query, filter)
    .selectAll('a')
    .select(['k.name as key_name', 'k.label as key_label'])
    .orderBy('a.created_at')
    .orderBy('a.id')
  if (page) selection = selection.offset(page.offset).limit(page.limit)
  return selection.execute()
}

export async function listAssignments(
  query: Query,
  filter: AssignmentFilter,
  page: PageQuery,
): Promise<Page<AssignmentRow>> {
  const [data, count] = await Promise.all([
    findAssignments(query, filter, page),
    selectAssignments(query, filter)
      .select((e) => e.fn.countAll<number>().as('n'))
      .executeTakeFirstOrThrow(),
  ])
  return { data, total_count: count.n }
}

/** Selects without columns, so that a caller can read or count the rows. */
function selectAssignments(
  query: Query,
  { organizationId, kind, guardrailId, workspaceId, targets }: AssignmentFilter,
) {
  let selection = query
    .selectFrom('guardrail_assignments as a')
    .innerJoin('workspaces as w', 'w.id', 'a.workspace_id')
    .leftJoin('api_keys as k', 'k.hash', 'a.target_id')
    .where('w.organization_id', '=', organizationId)
    .where('a.target_kind', '=', kind)
  if (kind === 'key') selection = selection.where('k.hash', 'is not', null)
  if (guardrailId) selection = selection.where('a.guardrail_id', '=', guardrailId)
  if (workspaceId) selection = selection.where('a.workspace_id', '=', workspaceId)
  if (targets) selection = selection.where('a.target_id', 'in', targets)
  return selection
}

export async function insertAssignments(tx: Tx, rows: StoredAssignment[]): Promise<void> {
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
