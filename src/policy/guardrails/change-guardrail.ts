import type { Caller } from '#identity/accounts/caller.ts'
import { resolveWorkspaceId } from '#identity/accounts/workspaces.ts'
import { recordChange } from '#identity/audit/audit.ts'
import type { Now } from '#platform/core/clock.ts'
import { Fault } from '#platform/core/fault.ts'
import type { Tx } from '#platform/db/db.ts'
import { groupAccountPrefix, spenderAccountPrefixes } from '#spend/budgets/account-id.ts'
import { deleteGuardrailSpending } from '#spend/budgets/rows/spending-rows.ts'
import { unassignAll } from './assignments/assignments.ts'
import { groupingOf } from './decide/guardrail-budget.ts'
import { emptyPolicy, type Policy } from './decide/policy.ts'
import { requireNoProblems } from './decide/problems.ts'
import { type Guardrail, type GuardrailRecord, toPublicGuardrail } from './guardrail.ts'
import type { GuardrailPatch, NewGuardrail } from './guardrail-patch.ts'
import { deleteGuardrailRow, findGuardrail, insertGuardrail, updateGuardrail } from './guardrail-rows.ts'
import { readGuardrailWithSpending } from './guardrail-spending.ts'
import { type NormaliseDeps, normalisePolicy } from './normalise-policy.ts'
import { guardrailNotFound, requireLocation, type WriteDeps, writeGuardrails } from './write-guardrails.ts'

type ChangeDeps = WriteDeps & NormaliseDeps

/** @throws Fault `invalid`, or `conflict` if the name is taken. */
export async function createGuardrail(deps: ChangeDeps, caller: Caller, body: NewGuardrail): Promise<Guardrail> {
  const workspaceId = await resolveWorkspaceId(deps, caller, body.workspace_id)
  const policyChange = await normalisePolicy(deps, body)
  const createdGuardrail = await writeGuardrails(deps, workspaceId, async (tx, publish) => {
    const record = applyPatch(emptyGuardrail(deps, deps.newId(), workspaceId, body.name), body, policyChange)
    await insertGuardrail(tx, record)
    await recordGuardrail(deps, tx, caller, record.id, { after: record })
    publish()
    return record
  })
  return readGuardrailWithSpending(deps, createdGuardrail)
}

/**
 * Changes a guardrail. The first change of a workspace's default guardrail creates it.
 * @throws Fault `not_found`, `invalid`, or `conflict` if the name is taken.
 */
export async function changeGuardrail(
  deps: ChangeDeps,
  caller: Caller,
  id: string,
  body: GuardrailPatch,
): Promise<Guardrail> {
  const location = await requireLocation(deps, caller, id)
  const policyChange = await normalisePolicy(deps, body)
  const changedGuardrail = await writeGuardrails(deps, location.workspaceId, async (tx, publish) => {
    const previousGuardrail = await findGuardrail(tx, id)
    if (!previousGuardrail && !location.isDefault) throw guardrailNotFound()
    // The time increases even if the clock stands still, so that clients notice each change.
    const base = previousGuardrail
      ? { ...previousGuardrail, updatedAt: Math.max(deps.now(), previousGuardrail.updatedAt + 1) }
      : createEmptyDefault(deps, id, location.workspaceId)
    const updatedGuardrail = applyPatch(base, body, policyChange)
    if (previousGuardrail) await updateGuardrail(tx, updatedGuardrail)
    else await insertGuardrail(tx, updatedGuardrail)
    if (previousGuardrail)
      await deleteGuardrailSpending(tx, id, incompleteAccounts(previousGuardrail, updatedGuardrail))
    await recordGuardrail(deps, tx, caller, id, { before: previousGuardrail, after: updatedGuardrail })
    publish()
    return updatedGuardrail
  })
  return readGuardrailWithSpending(deps, changedGuardrail)
}

/**
 * The prefixes of accounts that lack spending after a change: nothing was counted while there was no limit, and other costs count
 * if `include_byok_in_budgets` changes. Their sums must be read from the ledger again.
 */
function incompleteAccounts(previousGuardrail: GuardrailRecord, updatedGuardrail: GuardrailRecord): string[] {
  const complete =
    previousGuardrail.policy.include_byok_in_budgets === updatedGuardrail.policy.include_byok_in_budgets
      ? prefixesOf(previousGuardrail)
      : []
  return prefixesOf(updatedGuardrail).filter((prefix) => !complete.includes(prefix))
}

/** The prefixes of the accounts that the limits of a guardrail count in. */
function prefixesOf({ id, policy }: GuardrailRecord): string[] {
  const ofSpenders = policy.limit_usd === null ? [] : spenderAccountPrefixes(id)
  return [...ofSpenders, ...(policy.group_limits ?? []).map((limit) => groupAccountPrefix(id, groupingOf(limit)))]
}

/** Deletes a guardrail with its assignments. @throws Fault `not_found`, or `invalid` for a workspace's default. */
export async function deleteGuardrail(deps: ChangeDeps, caller: Caller, id: string): Promise<void> {
  const location = await requireLocation(deps, caller, id)
  await writeGuardrails(deps, location.workspaceId, async (tx, publish) => {
    const guardrail = await findGuardrail(tx, id)
    if (!guardrail) throw guardrailNotFound()
    if (location.isDefault) throw new Fault('invalid', defaultNotDeletable)
    await unassignAll(deps, tx, caller, id)
    await deleteGuardrailRow(tx, id)
    await recordGuardrail(deps, tx, caller, id, { before: guardrail })
    publish()
  })
}

const defaultNotDeletable =
  'This guardrail is the default of its workspace and cannot be deleted. Set its fields to null to remove its rules.'

/** A guardrail without any rule. */
function emptyGuardrail(deps: { now: Now }, id: string, workspaceId: string, name: string): GuardrailRecord {
  const at = deps.now()
  return { id, workspaceId, name, description: null, policy: emptyPolicy, createdAt: at, updatedAt: at }
}

/** A workspace's default guardrail before its first change. */
export const createEmptyDefault = (deps: { now: Now }, id: string, workspaceId: string): GuardrailRecord =>
  emptyGuardrail(deps, id, workspaceId, `Workspace ${workspaceId} Default`)

/**
 * Applies the fields of a request to a guardrail.
 * @throws Fault `invalid`.
 */
export function applyPatch(
  base: GuardrailRecord,
  body: GuardrailPatch,
  policyChange: Partial<Policy>,
): GuardrailRecord {
  const policy = { ...base.policy, ...policyChange }
  if (policy.reset_interval !== null && policy.limit_usd === null) {
    requireNoProblems([{ path: 'reset_interval', message: 'needs a limit_usd; without a limit it must be null' }])
  }
  const { name = base.name, description = base.description } = body
  return { ...base, name, description, policy }
}

/** A guardrail before and after a change; undefined while it is not stored. */
type GuardrailChange = { before?: GuardrailRecord | undefined; after?: GuardrailRecord | undefined }

function changeAction({ before, after }: GuardrailChange) {
  if (!before) return 'guardrail.created'
  return after ? 'guardrail.updated' : 'guardrail.deleted'
}

function recordGuardrail(
  deps: ChangeDeps,
  tx: Tx,
  caller: Caller,
  id: string,
  { before, after }: GuardrailChange,
): Promise<void> {
  return recordChange(deps, tx, caller, {
    action: changeAction({ before, after }),
    targetKind: 'guardrail',
    targetId: id,
    before: before ? toPublicGuardrail(deps, before) : null,
    after: after ? toPublicGuardrail(deps, after) : null,
  })
}
