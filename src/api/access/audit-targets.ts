import { namesOfKeys, namesOfUsers, namesOfWorkspaces } from '#identity/accounts/names.ts'
import type { AuditEvent } from '#identity/audit/audit.ts'
import { namesOfInterns } from '#interns/registry/names.ts'
import type { Query } from '#platform/db/db.ts'

type Names = ReadonlyMap<string, { name: string; email?: string }>

/** What each event was done to goes by, or null where it has no name: also where the event tells but a part of it. */
export async function namesOfTargets(
  db: { query: Query },
  organizationId: string,
  events: AuditEvent[],
): Promise<(event: AuditEvent) => string | null> {
  const ids = (kind: string) => [...new Set(events.flatMap(({ target }) => (target.kind === kind ? target.id : [])))]
  const [keys, workspaces, interns, users] = await Promise.all([
    namesOfKeys(db, organizationId, ids('key')),
    namesOfWorkspaces(db, organizationId, ids('workspace')),
    namesOfInterns(db, organizationId, ids('intern')),
    namesOfUsers(db, organizationId, [...ids('member'), ...events.flatMap((event) => userOf(event) ?? [])]),
  ])
  const byKind: Record<string, Names> = { key: keys, workspace: workspaces, intern: interns, member: users }
  return (event) =>
    called(byKind[event.target.kind]?.get(event.target.id)) ?? called(users.get(userOf(event) ?? '')) ?? ownName(event)
}

const called = (one: { name: string; email?: string } | undefined): string | null => one?.name || one?.email || null

/** Whose browser was signed in or out; which member came under a guardrail. */
function userOf({ target, before, after }: AuditEvent): string | undefined {
  if (target.kind !== 'session' && target.kind !== 'assignment') return undefined
  return textIn(after, 'user_id') ?? textIn(before, 'user_id')
}

/** As the event itself tells it: afterwards, else before. */
function ownName({ before, after }: AuditEvent): string | null {
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
