import { readKeyNames, readUserNames, readWorkspaceNames } from '#identity/accounts/account-names.ts'
import type { AuditEvent } from '#identity/audit/audit.ts'
import { findInternNames } from '#interns/registry/intern-names.ts'
import type { Query } from '#platform/db/db.ts'

type Names = ReadonlyMap<string, { name: string; email?: string }>

/**
 * Reads the display names of the targets of events.
 * @returns a function that gives the name of an event's target; null if the target has none.
 */
export async function loadTargetNames(
  db: { query: Query },
  organizationId: string,
  events: AuditEvent[],
): Promise<(event: AuditEvent) => string | null> {
  const ids = (kind: string) => [...new Set(events.flatMap(({ target }) => (target.kind === kind ? target.id : [])))]
  const [keys, workspaces, interns, users] = await Promise.all([
    readKeyNames(db, organizationId, ids('key')),
    readWorkspaceNames(db, organizationId, ids('workspace')),
    findInternNames(db, organizationId, ids('intern')),
    readUserNames(db, organizationId, [...ids('member'), ...events.flatMap((event) => subjectUserId(event) ?? [])]),
  ])
  const byKind: Record<string, Names> = { key: keys, workspace: workspaces, intern: interns, member: users }
  return (event) =>
    displayName(byKind[event.target.kind]?.get(event.target.id)) ??
    displayName(users.get(subjectUserId(event) ?? '')) ??
    nameInState(event)
}

const displayName = (target: { name: string; email?: string } | undefined): string | null =>
  target?.name || target?.email || null

/** The id of the member whose browser session or guardrail assignment the event is about. */
function subjectUserId({ target, before, after }: AuditEvent): string | undefined {
  if (target.kind !== 'session' && target.kind !== 'assignment') return undefined
  return readText(after, 'user_id') ?? readText(before, 'user_id')
}

/** The name in the state after the event. If that has none, the name in the state before it. */
function nameInState({ before, after }: AuditEvent): string | null {
  for (const state of [after, before])
    for (const field of ['name', 'email', 'slug', 'key_name', 'url']) {
      const name = readText(state, field)
      if (name) return name
    }
  return null
}

function readText(state: unknown, field: string): string | undefined {
  const value = (state as Record<string, unknown> | null)?.[field]
  return typeof value === 'string' ? value : undefined
}
