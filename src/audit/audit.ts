import type { Caller } from '#accounts/caller.ts'
import type { Db, Tx } from '#db/db.ts'
import { isoTime, type Now } from '#lib/clock.ts'
import type { NewId } from '#lib/id.ts'
import type { Page, PageQuery } from '#lib/page.ts'

/** What was done to what. Named `noun.verbed`. */
export type Change = {
  action: `${string}.${string}`
  targetKind: 'key' | 'guardrail' | 'assignment' | 'preset' | 'workspace' | 'catalogue'
  targetId: string
  /** The public form of the object before and after; null where it did not or does not exist. Never secrets. */
  before: object | null
  after: object | null
}

export type AuditEvent = {
  id: string
  at: string
  actor: { user_id: string; key_hash: string | null }
  action: string
  target: { kind: string; id: string }
  before: unknown
  after: unknown
}

/** Writes down a change in the transaction that makes it, so that neither exists without the other. */
export async function recordChange(
  deps: { now: Now; newId: NewId },
  tx: Tx,
  caller: Pick<Caller, 'organizationId' | 'userId' | 'keyHash'>,
  change: Change,
): Promise<void> {
  await tx
    .insertInto('audit_events')
    .values({
      id: deps.newId(),
      organization_id: caller.organizationId,
      at: deps.now(),
      actor_user_id: caller.userId,
      actor_key_hash: caller.keyHash,
      action: change.action,
      target_kind: change.targetKind,
      target_id: change.targetId,
      before_json: change.before && JSON.stringify(change.before),
      after_json: change.after && JSON.stringify(change.after),
    })
    .execute()
}

export type AuditFilter = PageQuery & { action?: string; target_kind?: string; target_id?: string }

/** The newest first. */
export async function listChanges(
  deps: { db: Db },
  organizationId: string,
  filter: AuditFilter,
): Promise<Page<AuditEvent>> {
  let matching = deps.db.query.selectFrom('audit_events').where('organization_id', '=', organizationId)
  if (filter.action) matching = matching.where('action', '=', filter.action)
  if (filter.target_kind) matching = matching.where('target_kind', '=', filter.target_kind)
  if (filter.target_id) matching = matching.where('target_id', '=', filter.target_id)
  const [rows, count] = await Promise.all([
    matching
      .selectAll()
      .orderBy('at', 'desc')
      .orderBy('id', 'desc')
      .offset(filter.offset)
      .limit(filter.limit)
      .execute(),
    matching.select((e) => e.fn.countAll<number>().as('n')).executeTakeFirstOrThrow(),
  ])
  return {
    data: rows.map((row) => ({
      id: row.id,
      at: isoTime(row.at),
      actor: { user_id: row.actor_user_id, key_hash: row.actor_key_hash },
      action: row.action,
      target: { kind: row.target_kind, id: row.target_id },
      before: row.before_json === null ? null : JSON.parse(row.before_json),
      after: row.after_json === null ? null : JSON.parse(row.after_json),
    })),
    total_count: count.n,
  }
}
