import type { Caller } from '#identity/accounts/caller.ts'
import { recordChange } from '#identity/audit/audit.ts'
import { Fault } from '#platform/core/fault.ts'
import { escapeUnambiguously } from '#platform/text/printable.ts'
import type { Intern } from '../registry/intern-store.ts'
import type { ApprovalDeps } from '../runs/approvals.ts'

/** The accesses to files of an intern that are recorded in the audit log. Reads by the intern's creator are not recorded. */
const accessKinds = {
  'intern.file_read': 'read',
  'intern.files_packed': 'read',
  'intern.file_written': 'change',
  'intern.file_deleted': 'change',
  'intern.folder_made': 'change',
  'intern.file_renamed': 'change',
  'intern.files_unpacked': 'change',
} as const
export type FileAction = keyof typeof accessKinds

type FileAccess = { caller: Caller; intern: Intern; action: FileAction; paths: Record<string, string> }

/** The maximum length of a path in the audit log, in characters. */
const maxPathLength = 2000

/**
 * Accesses files, and records the access in the audit log. The record is written first, so that every access has a record. If
 * the access is then refused, a second record says so.
 */
export async function auditFileAccess<Result>(
  deps: ApprovalDeps,
  { caller, intern, action, paths }: FileAccess,
  access: () => Promise<Result>,
): Promise<Result> {
  if (accessKinds[action] === 'read' && caller.userId === intern.creatorUserId) return access()
  const record = (recordedAction: FileAction | 'intern.files_refused', after: object) =>
    deps.db.exclusively(`files of ${intern.id}`, (tx) =>
      recordChange(deps, tx, caller, {
        action: recordedAction,
        targetKind: 'intern',
        targetId: intern.id,
        before: null,
        after,
      }),
    )
  const auditedPaths: Record<string, string> = {}
  for (const [name, path] of Object.entries(paths)) {
    auditedPaths[name] = escapeUnambiguously(await deps.conceal(caller, path || '.')).slice(0, maxPathLength)
  }
  await record(action, auditedPaths)
  try {
    return await access()
  } catch (error) {
    const reason = error instanceof Fault ? error.kind : 'failed'
    await record('intern.files_refused', { act: action, ...auditedPaths, reason })
    throw error
  }
}
