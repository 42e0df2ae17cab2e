import type { ExpressionBuilder, Selectable } from 'kysely'
import { isoTime, type Now } from '#platform/core/clock.ts'
import { type Precondition, requireMatch } from '#platform/core/entity-tag.ts'
import { Fault } from '#platform/core/fault.ts'
import type { NewId } from '#platform/core/id.ts'
import type { Db, Query, Tx } from '#platform/db/db.ts'
import type { Tables } from '#platform/db/tables.ts'
import type { Page, PageQuery } from '#platform/json/page.ts'
import type { CallerScope } from '../accounts/caller.ts'

/** A change and its target. `action` has the form `noun.verb`, with the verb in the past tense: `key.created`. */
export type Change = {
  action: `${string}.${string}`
  targetKind:
    | 'intern'
    | 'key'
    | 'guardrail'
    | 'assignment'
    | 'preset'
    | 'workspace'
    | 'member'
    | 'organization'
    | 'catalogue'
    | 'credential'
    | 'session'
    | 'passkey'
    | 'generation'
    | 'webhook'
    | 'budget'
  targetId: string
  /** The public form of the object before and after the change; null if it did not exist. Never contains secrets. */
  before: object | null
  after: object | null
}

export type AuditEvent = {
  id: string
  at: string
  actor: { user_id: string; key_hash: string | null; session_id: string | null }
  action: string
  target: { kind: string; id: string }
  before: unknown
  after: unknown
}

/**
 * The user, key and browser session of a change. `keyHash` is null for a change by a command that uses the database
 * directly.
 */
export type Actor = {
  organizationId: string
  userId: string
  keyHash: string | null
  sessionId?: string | undefined
  precondition?: Precondition | undefined
}

/**
 * Writes the audit record of a change, in the same transaction.
 * @throws Fault `precondition_failed`, which undoes the change, if the actor expected another state.
 */
export async function recordChange(
  deps: { now: Now; newId: NewId },
  tx: Tx,
  actor: Actor,
  change: Change,
): Promise<void> {
  const { precondition } = actor
  if (precondition?.entity.kind === change.targetKind) requireMatch(precondition, change.before)
  await tx
    .insertInto('audit_events')
    .values({
      id: deps.newId(),
      organization_id: actor.organizationId,
      at: deps.now(),
      actor_user_id: actor.userId,
      actor_key_hash: actor.keyHash,
      actor_session_id: actor.sessionId ?? null,
      action: change.action,
      target_kind: change.targetKind,
      target_id: change.targetId,
      before_json: change.before && JSON.stringify(change.before),
      after_json: change.after && JSON.stringify(change.after),
    })
    .execute()
}

export type AuditFilter = PageQuery & {
  action?: string
  target_kind?: string
  target_id?: string
  /** Inclusive. */
  from?: string
  /** Exclusive. */
  to?: string
  /** The id of an event. Only older events are returned. */
  starting_after?: string
}

/** Lists the entries of the caller's organization or workspace, newest first. */
export async function listChanges(
  deps: { db: Db },
  caller: CallerScope,
  filter: AuditFilter,
): Promise<Page<AuditEvent>> {
  const matching = matchingEvents(deps, caller, filter)
  const beforeSequence =
    filter.starting_after && (await findSequence(deps, caller.organizationId, filter.starting_after))
  const pageEvents = beforeSequence ? matching.where('seq', '<', beforeSequence) : matching
  const [rows, count] = await Promise.all([
    pageEvents.selectAll().orderBy('seq', 'desc').offset(filter.offset).limit(filter.limit).execute(),
    matching.select((e) => e.fn.countAll<number>().as('n')).executeTakeFirstOrThrow(),
  ])
  return { data: rows.map(toAuditEvent), total_count: count.n }
}

function matchingEvents({ db }: { db: Db }, caller: CallerScope, filter: AuditFilter) {
  const { action, target_kind, target_id, from, to } = filter
  let events = db.query.selectFrom('audit_events').where('organization_id', '=', caller.organizationId)
  if (caller.isWorkspaceScoped) events = events.where(belongsToWorkspace(caller.workspaceId))
  if (action !== undefined) events = events.where('action', '=', action)
  if (target_kind !== undefined) events = events.where('target_kind', '=', target_kind)
  if (target_id !== undefined) events = events.where('target_id', '=', target_id)
  if (from !== undefined) events = events.where('at', '>=', Date.parse(from))
  if (to !== undefined) events = events.where('at', '<', Date.parse(to))
  return events
}

/**
 * Selects the entries of a workspace, and of objects whose public form contains its ID. Other entries, such as those of
 * members and sessions, are only for owners and admins of the organization.
 */
function belongsToWorkspace(workspaceId: string) {
  const workspacePattern = `%"workspace_id":${JSON.stringify(workspaceId)}%`
  return (event: ExpressionBuilder<Tables, 'audit_events'>) =>
    event.or([
      event.and([event('target_kind', '=', 'workspace'), event('target_id', '=', workspaceId)]),
      event('before_json', 'like', workspacePattern),
      event('after_json', 'like', workspacePattern),
    ])
}

async function findSequence({ db }: { db: Db }, organizationId: string, id: string): Promise<number> {
  const event = await db.query
    .selectFrom('audit_events')
    .where('organization_id', '=', organizationId)
    .where('id', '=', id)
    .select('seq')
    .executeTakeFirst()
  if (!event) throw new Fault('invalid', 'Invalid request: starting_after: event not found')
  return event.seq
}

function toAuditEvent(row: Selectable<Tables['audit_events']>): AuditEvent {
  return {
    id: row.id,
    at: isoTime(row.at),
    actor: { user_id: row.actor_user_id, key_hash: row.actor_key_hash, session_id: row.actor_session_id },
    action: row.action,
    target: { kind: row.target_kind, id: row.target_id },
    before: row.before_json === null ? null : JSON.parse(row.before_json),
    after: row.after_json === null ? null : JSON.parse(row.after_json),
  }
}

/** The last names of deleted objects, if they had names. */
export async function readDeletedNames(
  db: { query: Query },
  organizationId: string,
  kind: Change['targetKind'],
  ids: string[],
): Promise<{ id: string; name: string }[]> {
  const rows = await db.query
    .selectFrom('audit_events')
    .where('organization_id', '=', organizationId)
    .where('target_kind', '=', kind)
    .where('target_id', 'in', ids)
    .where('action', '=', `${kind}.deleted`)
    .select(['target_id as id', 'before_json'])
    .execute()
  return rows.map(({ id, before_json }) => ({
    id,
    name: (JSON.parse(before_json ?? '{}') as { name?: string }).name ?? '',
  }))
}
