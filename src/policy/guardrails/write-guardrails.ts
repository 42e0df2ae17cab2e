import { type CallerScope, reachesWorkspace } from '#identity/accounts/caller.ts'
import type { Now } from '#platform/core/clock.ts'
import { Fault } from '#platform/core/fault.ts'
import type { NewId } from '#platform/core/id.ts'
import type { Db, Tx } from '#platform/db/db.ts'
import { findLocation, type GuardrailLocation } from './guardrail-rows.ts'

export type WriteDeps = { db: Db; now: Now; newId: NewId }

/**
 * Writes guardrails of a workspace. Their names, assignments and entries in the audit log depend on each other, so only one
 * writer works at a time.
 * @param work must call `publish` if it changes something: it announces `guardrail.changed` with the workspace's id when
 * the transaction commits.
 * @throws Fault `conflict` if another writer takes too long; then nothing was changed.
 */
export function writeGuardrails<T>(
  deps: { db: Db },
  workspaceId: string,
  work: (tx: Tx, publish: () => void) => Promise<T>,
): Promise<T> {
  return deps.db.exclusively(`guardrails:${workspaceId}`, (tx, publish) =>
    work(tx, () => publish('guardrail.changed', workspaceId)),
  )
}

/** The same message for an unknown id and for an id of another organization. */
export const guardrailNotFound = () => new Fault('not_found', 'Guardrail not found.')

/**
 * Finds the workspace of a guardrail.
 * @throws Fault `not_found` if no workspace that the caller reaches has a guardrail or default guardrail with this id.
 */
export async function requireLocation(deps: { db: Db }, caller: CallerScope, id: string): Promise<GuardrailLocation> {
  const location = await findLocation(deps.db.query, caller.organizationId, id)
  if (!location || !reachesWorkspace(caller, location.workspaceId)) throw guardrailNotFound()
  return location
}
