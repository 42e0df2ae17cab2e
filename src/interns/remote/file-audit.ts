import type { Caller } from '#identity/accounts/caller.ts'
import { recordChange } from '#identity/audit/audit.ts'
import { Fault } from '#platform/core/fault.ts'
import { printableExactly } from '#platform/text/printable.ts'
import type { Intern } from '../registry/store.ts'
import type { ApprovalDeps } from '../runs/approvals.ts'

/** The recorded accesses to files of an intern. Reads by its creator are not recorded. */
const auditActions = {
  'intern.file_read': 'look',
  'intern.files_packed': 'look',
  'intern.file_written': 'change',
  'intern.file_deleted': 'change',
  'intern.folder_made': 'change',
  'intern.file_renamed': 'change',
  'intern.files_unpacked': 'change',
} as const
export type FileAct = keyof typeof auditActions

type FileAccess = { caller: Caller; intern: Intern; act: FileAct; paths: Record<string, string> }

/** In characters, as for other texts in the audit log. */
const maxTextLength = 2000

/**
 * Accesses files, and records it in the audit log. The record is written first, so that every access has one. If the
 * access is then refused, a second record says so.
 */
export async function auditFileAccess<Answer>(
  deps: ApprovalDeps,
  { caller, intern, act, paths }: FileAccess,
  access: () => Promise<Answer>,
): Promise<Answer> {
  if (auditActions[act] === 'look' && caller.userId === intern.creatorUserId) return access()
  const record = (action: FileAct | 'intern.files_refused', after: object) =>
    deps.db.exclusively(`files of ${intern.id}`, (tx) =>
      recordChange(deps, tx, caller, { action, targetKind: 'intern', targetId: intern.id, before: null, after }),
    )
  const recorded: Record<string, string> = {}
  for (const [name, path] of Object.entries(paths)) {
    recorded[name] = printableExactly(await deps.conceal(caller, path || '.')).slice(0, maxTextLength)
  }
  await record(act, recorded)
  try {
    return await access()
  } catch (error) {
    const reason = error instanceof Fault ? error.kind : 'failed'
    await record('intern.files_refused', { act, ...recorded, reason })
    throw error
  }
}
