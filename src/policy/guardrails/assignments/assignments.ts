import type { Caller } from '#identity/accounts/caller.ts'
import { resolveUserId } from '#identity/accounts/members/members.ts'
import { recordChange } from '#identity/audit/audit.ts'
import { Fault } from '#platform/core/fault.ts'
import type { Db, Tx } from '#platform/db/db.ts'
import type { Page, PageQuery } from '#platform/json/page.ts'
import { accountId } from '#spend/budgets/account-id.ts'
import type { Spender } from '#spend/budgets/budget.ts'
import { deleteSpending } from '#spend/budgets/rows/spending-rows.ts'
import { requireNoProblems } from '../decide/problems.ts'
import { findGuardrail } from '../guardrail-rows.ts'
import { guardrailNotFound, requireLocation, type WriteDeps, writeGuardrails } from '../write-guardrails.ts'
import { type KeyAssignment, type MemberAssignment, toKeyAssignment, toMemberAssignment } from './assignment.ts'
import {
  type AssignmentRow,
  deleteAssignments,
  findAssignments,
  findTargets,
  insertAssignments,
  listAssignments,
  type TargetKind,
} from './assignment-rows.ts'

const spenderOf = (kind: TargetKind, id: string): Spender =>
  kind === 'key' ? { kind, hash: id } : { kind, userId: id }

/** The name of the list of targets in a request. */
const listName = { key: 'key_hashes', member: 'member_user_ids' } as const

/**
 * Assigns a guardrail to targets, in place of their previous guardrails in the workspace.
 * @returns the number of targets, including those that had this guardrail before.
 * @throws Fault `not_found` for an unknown guardrail, key or member, `invalid` for a key of another workspace.
 */
export async function assign(
  deps: WriteDeps,
  caller: Caller,
  id: string,
  kind: TargetKind,
  targets: string[],
): Promise<number> {
  const { workspaceId } = await requireLocation(deps, caller, id)
  const resolvedIds = await resolveTargetIds(deps, caller, kind, targets)
  const targetIds = [...new Set(resolvedIds)]
  return writeGuardrails(deps, workspaceId, async (tx, publish) => {
    if (!(await findGuardrail(tx, id))) throw guardrailNotFound()
    await requireTargets(tx, caller.organizationId, workspaceId, kind, resolvedIds)
    const filter = { organizationId: caller.organizationId, kind, workspaceId, targets: targetIds }
    const previousAssignments = await findAssignments(tx, filter)
    const unchangedIds = new Set(
      previousAssignments.filter((row) => row.guardrail_id === id).map((row) => row.target_id),
    )
    await removeAssignments(
      deps,
      tx,
      caller,
      previousAssignments.filter((row) => row.guardrail_id !== id),
    )
    const newTargetIds = targetIds.filter((target) => !unchangedIds.has(target))
    const shared = { guardrail_id: id, workspace_id: workspaceId, target_kind: kind, assigned_by: caller.userId }
    const created = { ...shared, created_at: deps.now() }
    await insertAssignments(
      tx,
      newTargetIds.map((target) => ({ id: deps.newId(), ...created, target_id: target })),
    )
    // A target can have spent since an earlier assignment ended, so its account starts again with the sum of the ledger.
    for (const target of newTargetIds) await deleteSpending(tx, accountId.guardrail(id, spenderOf(kind, target)))
    for (const row of await findAssignments(tx, filter)) {
      if (!unchangedIds.has(row.target_id)) await recordAssignment(deps, tx, caller, 'assignment.created', row)
    }
    if (newTargetIds.length > 0) publish()
    return targetIds.length
  })
}

/** Removes the assignments of a guardrail to targets. @returns how many there were. @throws Fault `not_found`. */
export async function unassign(
  deps: WriteDeps,
  caller: Caller,
  id: string,
  kind: TargetKind,
  targets: string[],
): Promise<number> {
  const { workspaceId } = await requireLocation(deps, caller, id)
  const ids = await resolveTargetIds(deps, caller, kind, targets)
  return writeGuardrails(deps, workspaceId, async (tx, publish) => {
    if (!(await findGuardrail(tx, id))) throw guardrailNotFound()
    const filter = { organizationId: caller.organizationId, kind, guardrailId: id, targets: ids }
    const rows = await findAssignments(tx, filter)
    await removeAssignments(deps, tx, caller, rows)
    if (rows.length > 0) publish()
    return rows.length
  })
}

/** Removes all assignments of a guardrail, in the transaction that deletes it. */
export async function unassignAll(deps: WriteDeps, tx: Tx, caller: Caller, guardrailId: string): Promise<void> {
  for (const kind of ['key', 'member'] as const) {
    // Not the whole caller: its workspace can be another one than that of the guardrail.
    const filter = { organizationId: caller.organizationId, kind, guardrailId }
    await removeAssignments(deps, tx, caller, await findAssignments(tx, filter))
  }
}

type ListOptions = { kind: TargetKind; guardrailId?: string | undefined; page: PageQuery }

export async function listKeyAssignments(
  deps: { db: Db },
  caller: Caller,
  page: PageQuery,
  guardrailId?: string,
): Promise<Page<KeyAssignment>> {
  const { data, total_count } = await listPage(deps, caller, { kind: 'key', page, guardrailId })
  return { data: data.map(toKeyAssignment), total_count }
}

export async function listMemberAssignments(
  deps: { db: Db },
  caller: Caller,
  page: PageQuery,
  guardrailId?: string,
): Promise<Page<MemberAssignment>> {
  const { data, total_count } = await listPage(deps, caller, { kind: 'member', page, guardrailId })
  return { data: data.map((row) => toMemberAssignment(caller.organizationId, row)), total_count }
}

async function listPage(deps: { db: Db }, caller: Caller, { kind, page, guardrailId }: ListOptions) {
  const { organizationId } = caller
  if (guardrailId !== undefined) {
    await requireLocation(deps, caller, guardrailId)
    if (!(await findGuardrail(deps.db.query, guardrailId))) throw guardrailNotFound()
  }
  const workspaceId = caller.isWorkspaceScoped ? caller.workspaceId : undefined
  return listAssignments(deps.db.query, { organizationId, kind, guardrailId, workspaceId }, page)
}

/** Replaces email addresses of members by their ids. Keeps addresses that no member has. */
function resolveTargetIds(
  { db }: { db: Db },
  { organizationId }: Caller,
  kind: TargetKind,
  names: string[],
): Promise<string[]> {
  if (kind === 'key') return Promise.resolve(names)
  return Promise.all(names.map(async (name) => (await resolveUserId(db.query, organizationId, name)) ?? name))
}

/**
 * Reports a target of another organization like one that does not exist.
 * @param ids in the order of the request, because messages name their positions.
 */
async function requireTargets(tx: Tx, organizationId: string, workspaceId: string, kind: TargetKind, ids: string[]) {
  const targets = await findTargets(tx, organizationId, kind, ids)
  const missingIndex = ids.findIndex((id) => !targets.has(id))
  if (missingIndex !== -1) throw new Fault('not_found', `${listName[kind]}[${missingIndex}]: ${kind} not found.`)
  requireNoProblems(
    ids.flatMap((id, i) => {
      const isInOtherWorkspace = (targets.get(id)?.workspaceId ?? workspaceId) !== workspaceId
      const message = 'this key belongs to another workspace than the guardrail'
      return isInOtherWorkspace ? [{ path: `${listName[kind]}[${i}]`, message }] : []
    }),
  )
}

async function removeAssignments(deps: WriteDeps, tx: Tx, caller: Caller, rows: AssignmentRow[]): Promise<void> {
  await deleteAssignments(
    tx,
    rows.map((row) => row.id),
  )
  for (const row of rows) await recordAssignment(deps, tx, caller, 'assignment.deleted', row)
}

function recordAssignment(
  deps: WriteDeps,
  tx: Tx,
  caller: Caller,
  action: 'assignment.created' | 'assignment.deleted',
  row: AssignmentRow,
): Promise<void> {
  const assignment = row.target_kind === 'key' ? toKeyAssignment(row) : toMemberAssignment(caller.organizationId, row)
  return recordChange(deps, tx, caller, {
    action,
    targetKind: 'assignment',
    targetId: row.id,
    before: action === 'assignment.deleted' ? assignment : null,
    after: action === 'assignment.created' ? assignment : null,
  })
}
