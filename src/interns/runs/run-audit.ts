import type { Caller } from '#identity/accounts/caller.ts'
import { recordChange } from '#identity/audit/audit.ts'
import type { ApprovalDeps } from './approvals.ts'
import type { RunRecord } from './run-record.ts'

/**
 * Records in the audit log who cancelled a run. The record is written after the end, so that a failure to write it does not
 * keep the agent running.
 */
export async function recordCancelled(
  deps: Pick<ApprovalDeps, 'db' | 'now' | 'newId'>,
  caller: Caller,
  { id, internId, sessionId, startedBy }: RunRecord,
): Promise<void> {
  const after = { run_id: id, session_id: sessionId, started_by_user_id: startedBy }
  const change = {
    action: 'intern.turn_cancelled',
    targetKind: 'intern',
    targetId: internId,
    before: null,
    after,
  } as const
  await deps.db.exclusively(`turns of ${internId}`, (tx) => recordChange(deps, tx, caller, change))
}
