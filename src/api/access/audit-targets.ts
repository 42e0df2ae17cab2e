import { namesOfKeys, namesOfUsers, namesOfWorkspaces } from '#identity/accounts/names.ts'
import type { AuditEvent } from '#identity/audit/audit.ts'
import { findInternNames } from '#interns/registry/names.ts'
import type { Query } from '#platform/db/db.ts'

type Names = ReadonlyMap<string, { name: string; email?: string }>

/** Finds the display names of the targets of events; null for targets without a name. */
export async function namesOfTargets(
  db: { query: Query },
  organizationId: string,
  events: AuditEvent[],
): Promise<(event: AuditEvent) => string | null> {
  const ids = (kind: string) => [...new Set(events.flatMap(({ target }) => (target.kind === kind ? target.id : [])))]
  const [keys, workspaces, interns, users] = await Promise.all([
    namesOfKeys(db, organizationId, ids('key')),
    namesOfWorkspaces(db, organizationId, ids('workspace')),
    findInternNames(db, organizationId, ids('intern')),
    namesOfUsers(db, organizationId, [...ids('member'), ...events.flatMap((event) => userOf(event) ?? [])]),
  ])
  const byKind: Record<string, Names> = { key: keys, workspace: workspaces, intern: interns, member: users }
  return (event) =>
    displayName(byKind[event.target.kind]?.get(event.target.id)) ??
    displayName(users.get(userOf(event) ?? '')) ??
    nameInState(event)
}

const displayName = (one: { name: string; email?: string } | undefined): string | null =>
  one?.name || one?.email || null

/** The member whose browser session or guardrail assignment the event is about. */
function userOf({ target, before, after }: AuditEvent): string | undefined {
  if (target.kind !== 'session' && target.kind !== 'assignment') return undefined
  return textIn(after, 'user_id') ?? textIn(before, 'user_id')
}

/** The name in the state after the event, else before it. */
function nameInState({ before, after }: AuditEvent): string | null {
  for (const state of [after, before])
    for (const field of ['name', 'email', 'slug', 'key_name', 'url']) {
      const name = textIn(state, field)
      if (name) return name
    }
  return null
}

function textIn(state: unknown, field: string): string | undefined {
  const value = (state as Record<string, unknown> | null)?.[field]
  return typeof value === 'string' ? value : undefined
}
