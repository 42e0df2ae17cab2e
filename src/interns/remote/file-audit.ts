import type { Caller } from '#identity/accounts/caller.ts'
import { recordChange } from '#identity/audit/audit.ts'
import { Fault } from '#platform/core/fault.ts'
import { printableExactly } from '#platform/text/printable.ts'
import type { Intern } from '../registry/store.ts'
import type { ApprovalDeps } from '../runs/approvals.ts'

/** What is done with the files of an intern and recorded. What only looks is recorded of others than its creator. */
const acts = {
  'intern.file_read': 'look',
  'intern.files_packed': 'look',
  'intern.file_written': 'change',
  'intern.file_deleted': 'change',
  'intern.folder_made': 'change',
  'intern.file_renamed': 'change',
  'intern.files_unpacked': 'change',
} as const
export type FileAct = keyof typeof acts

type Done = { caller: Caller; intern: Intern; act: FileAct; paths: Record<string, string> }

/** In characters, as much as of other texts in the trail. */
const maxTextLength = 2000

/**
 * Does something with files, and records in the audit trail who did it. The record is written first, so that nothing is
 * done without one; where it is then refused, a second one says so.
 */
export async function auditingFiles<Answer>(
  deps: ApprovalDeps,
  { caller, intern, act, paths }: Done,
  give: () => Promise<Answer>,
): Promise<Answer> {
  if (acts[act] === 'look' && caller.userId === intern.creatorUserId) return give()
  const record = (action: FileAct | 'intern.files_refused', after: object) =>
    deps.db.exclusively(`files of ${intern.id}`, (tx) =>
      recordChange(deps, tx, caller, { action, targetKind: 'intern', targetId: intern.id, before: null, after }),
    )
  const told: Record<string, string> = {}
  for (const [name, path] of Object.entries(paths)) {
    told[name] = printableExactly(await deps.conceal(caller, path || '.')).slice(0, maxTextLength)
  }
  await record(act, told)
  try {
    return await give()
  } catch (error) {
    const reason = error instanceof Fault ? error.kind : 'failed'
    await record('intern.files_refused', { act, ...told, reason })
    throw error
  }
}
