import type { Caller } from '#identity/accounts/caller.ts'
import type { Now } from '#platform/core/clock.ts'
import type { Db, Query } from '#platform/db/db.ts'
import { applyPatch, createEmptyDefault } from './change-guardrail.ts'
import type { GuardrailRecord } from './guardrail.ts'
import type { GuardrailPatch } from './guardrail-patch.ts'
import { findGuardrail } from './guardrail-rows.ts'
import { type NormaliseDeps, normalisePolicy } from './normalise-policy.ts'
import { guardrailNotFound, requireLocation } from './write-guardrails.ts'

/** The keys and members under a guardrail: all of its workspace, or those it is assigned to. */
export type GovernedTargets = { everybody: true } | { everybody: false; keyHashes: Set<string>; userIds: Set<string> }

/**
 * Applies a PATCH to a guardrail without storing it, and finds the keys and members it applies to. A workspace's default
 * guardrail is stored only when it is first changed; before that, a patch applies to an empty one.
 * @param patch undefined for the guardrail as it is stored. @throws Fault `not_found`, `invalid`.
 */
export async function proposeGuardrail(
  deps: NormaliseDeps & { db: Db; now: Now },
  caller: Caller,
  id: string,
  patch: GuardrailPatch | undefined,
): Promise<{ guardrail: GuardrailRecord; governed: GovernedTargets }> {
  const { workspaceId, isDefault } = await requireLocation(deps, caller, id)
  const storedGuardrail = await findGuardrail(deps.db.query, id)
  const createsDefault = isDefault && patch !== undefined
  if (!storedGuardrail && !createsDefault) throw guardrailNotFound()
  const base = storedGuardrail ?? createEmptyDefault(deps, id, workspaceId)
  return {
    guardrail: patch ? applyPatch(base, patch, await normalisePolicy(deps, patch)) : base,
    governed: isDefault ? { everybody: true } : await readAssignedTargets(deps.db.query, id),
  }
}

async function readAssignedTargets(query: Query, id: string): Promise<GovernedTargets> {
  const rows = await query
    .selectFrom('guardrail_assignments')
    .where('guardrail_id', '=', id)
    .select(['target_kind', 'target_id'])
    .execute()
  const idsOfKind = (kind: string) =>
    new Set(rows.filter((row) => row.target_kind === kind).map((row) => row.target_id))
  return { everybody: false, keyHashes: idsOfKind('key'), userIds: idsOfKind('member') }
}
