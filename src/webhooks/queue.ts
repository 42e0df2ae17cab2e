import { recordChange } from '#audit/audit.ts'
import type { DatabaseClock } from '#db/clock.ts'
import type { Db, Query, Tx } from '#db/db.ts'
import { sql } from '#db/kysely.ts'
import type { Now } from '#lib/clock.ts'
import type { NewId } from '#lib/id.ts'
import type { Answerable } from './outbox.ts'
import { webhookOf } from './webhook.ts'

export type QueueDeps = { db: Db; clock: DatabaseClock; now: Now; newId: NewId; server: string }

/** A delivery that this server alone sends now. */
export type Claimed = {
  id: string
  event: string
  webhookId: string
  url: string
  payload: string
  answerable: Answerable | null
  attempts: number
  /** Whether its webhook took nothing the last time. */
  isFailing: boolean
  /** The secrets that sign it, encrypted; the second only until the overlap ends. */
  sealed: string[]
}

export type Outcome = { status: number | null; error: string | null }

/** The time of one server for one attempt: longer than any takes. */
const leaseMs = 60_000
/** So long a webhook may take nothing before it is disabled. */
const disabledAfterMs = 5 * 86_400_000

/** How many are claimed at once: in all, of one webhook, and of all together that take nothing. */
export type Share = { limit: number; each: number; failing: number; busy: readonly string[] }

/**
 * @returns some deliveries that are due, of no webhook more than `each`, and of none of `busy`. Of one that took nothing the
 * last time it is one, to see whether it does.
 */
export async function claimDeliveries(
  { db, clock, server }: QueueDeps,
  { limit, each, failing, busy }: Share,
): Promise<Claimed[]> {
  const healthy = await dueWebhooks({ db, clock }, { limit, busy, isFailing: false })
  const others = failing > 0 ? await dueWebhooks({ db, clock }, { limit: failing, busy, isFailing: true }) : []
  const ids: string[] = []
  // Their share is small, and those that take everything would leave them none.
  for (const webhook of others) ids.push(...(await dueOf({ db, clock }, webhook, 1)))
  for (const webhook of healthy) ids.push(...(await dueOf({ db, clock }, webhook, each)))
  if (ids.length === 0) return []
  const claimed = await db.exclusively('webhook deliveries', (tx) =>
    tx
      .updateTable('webhook_deliveries')
      .set({ claimed_by: server, claimed_until: sql<number>`${clock.at()} + ${sql.lit(leaseMs)}` })
      .where('id', 'in', ids.slice(0, limit))
      .where('state', '=', 'pending')
      .where('claimed_until', '<=', clock.at())
      .returning('id')
      .execute(),
  )
  return claimed.length === 0
    ? []
    : readClaimed(
        db,
        clock,
        claimed.map(({ id }) => id),
      )
}

type QueryDeps = Pick<QueueDeps, 'db' | 'clock'>

/**
 * Webhooks that something is due for, found by looking at the first of each: how much waits behind it does not matter. Of several
 * whose turn it is chance takes some, so that none is passed over for good.
 */
async function dueWebhooks(
  { db, clock }: QueryDeps,
  { limit, busy, isFailing }: Pick<Share, 'limit' | 'busy'> & { isFailing: boolean },
): Promise<string[]> {
  const rows = await db.query
    .selectFrom('webhooks as w')
    .where('w.enabled', '=', 1)
    .where('w.failing_since', isFailing ? 'is not' : 'is', null)
    .$if(busy.length > 0, (rows) => rows.where('w.id', 'not in', busy))
    // With `exists` SQLite makes a join of it, and chance prefers the rows that come last.
    .where((e) =>
      e(
        dueRows(db.query, clock).where('d.webhook_id', '=', sql.ref<string>('w.id')).select('d.id').limit(1),
        'is not',
        null,
      ),
    )
    .orderBy(sql`random()`)
    .limit(limit)
    .select('w.id')
    .execute()
  return rows.map(({ id }) => id)
}

async function dueOf({ db, clock }: QueryDeps, webhookId: string, most: number): Promise<string[]> {
  const rows = await dueRows(db.query, clock)
    .where('d.webhook_id', '=', webhookId)
    .select('d.id')
    .orderBy('d.next_at')
    .limit(most)
    .execute()
  return rows.map(({ id }) => id)
}

const dueRows = (from: Pick<Query, 'selectFrom'>, clock: DatabaseClock) =>
  from
    .selectFrom('webhook_deliveries as d')
    .where('d.state', '=', 'pending')
    .where('d.next_at', '<=', clock.at())
    .where('d.claimed_until', '<=', clock.at())

async function readClaimed(db: Db, clock: DatabaseClock, ids: string[]): Promise<Claimed[]> {
  const rows = await db.query
    .selectFrom('webhook_deliveries as d')
    .innerJoin('webhooks as w', 'w.id', 'd.webhook_id')
    .where('d.id', 'in', ids)
    .select([
      'd.id',
      'd.event',
      'd.webhook_id',
      'd.payload',
      'd.answerable',
      'd.attempts',
      'w.url',
      'w.sealed',
      'w.failing_since',
    ])
    .select((e) =>
      e.case().when('w.before_until', '>', clock.at()).then(e.ref('w.sealed_before')).else(null).end().as('before'),
    )
    .execute()
  return rows.map(({ webhook_id: webhookId, answerable, sealed, before, failing_since, ...row }) => ({
    ...row,
    webhookId,
    isFailing: failing_since !== null,
    answerable: answerable === null ? null : (JSON.parse(answerable) as Answerable),
    sealed: before === null ? [sealed] : [sealed, before],
  }))
}

const own = (tx: Tx, { server }: QueueDeps, id: string) =>
  tx
    .updateTable('webhook_deliveries')
    .where('id', '=', id)
    .where('claimed_by', '=', server)
    .where('state', '=', 'pending')

/** Whoever comes next sends it, at once. */
export async function releaseClaim(deps: QueueDeps, id: string): Promise<void> {
  await deps.db.exclusively('webhook deliveries', (tx) => own(tx, deps, id).set({ claimed_until: 0 }).execute())
}

/** It was taken. */
export async function settleDelivered(
  deps: QueueDeps,
  { id, webhookId, attempts }: Claimed,
  status: number,
): Promise<void> {
  const { db, clock } = deps
  await db.exclusively('webhook deliveries', async (tx) => {
    const about = { state: 'delivered', attempts: attempts + 1, last_status: status, last_error: null }
    await own(tx, deps, id)
      .set({ ...about, claimed_until: 0, settled_at: clock.at() })
      .execute()
    await tx
      .updateTable('webhooks')
      .set({ failing_since: null })
      .where('id', '=', webhookId)
      .where('failing_since', 'is not', null)
      .execute()
  })
}

type Failed = Outcome & {
  /** When it is tried again; undefined: never. */
  retryInMs: number | undefined
  /** Whether whoever receives wants nothing any more. */
  isGone: boolean
}

/** It was not. @returns why the webhook is disabled from now on, if it is. */
export async function settleFailed(deps: QueueDeps, claimed: Claimed, failed: Failed): Promise<string | undefined> {
  const { db, clock, now } = deps
  const { id, webhookId, attempts } = claimed
  const { status, error, retryInMs, isGone } = failed
  return db.exclusively('webhook deliveries', async (tx) => {
    const over = retryInMs === undefined
    await own(tx, deps, id)
      .set({
        ...{ state: over ? 'failed' : 'pending', attempts: attempts + 1, last_status: status, last_error: error },
        ...{ claimed_until: 0, next_at: sql<number>`${clock.at()} + ${sql.lit(Math.round(retryInMs ?? 0))}` },
        ...(over && { settled_at: clock.at() }),
      })
      .execute()
    const failing = tx.updateTable('webhooks').set({ failing_since: clock.at() }).where('id', '=', webhookId)
    await failing.where('failing_since', 'is', null).execute()
    const row = await tx
      .selectFrom('webhooks')
      .where('id', '=', webhookId)
      .where('enabled', '=', 1)
      .$if(!isGone, (rows) =>
        rows.where('failing_since', '<=', sql<number>`${clock.at()} - ${sql.lit(disabledAfterMs)}`),
      )
      .selectAll()
      .executeTakeFirst()
    if (!row) return undefined
    const reason = isGone
      ? 'Its receiver answered 410: it wants nothing any more.'
      : `Nothing was taken there for ${disabledAfterMs / 86_400_000} days; the last error: ${error ?? status}.`
    const after = { ...row, enabled: 0, disabled_reason: reason }
    await tx.updateTable('webhooks').set({ enabled: 0, disabled_reason: reason }).where('id', '=', webhookId).execute()
    await recordChange(
      deps,
      tx,
      { organizationId: row.organization_id, userId: row.created_by, keyHash: null },
      {
        action: 'webhook.disabled_by_service',
        targetKind: 'webhook',
        targetId: webhookId,
        before: webhookOf(row, now()),
        after: webhookOf(after, now()),
      },
    )
    return reason
  })
}

/** Links that were sent, or may have been, answer no longer. */
export async function endLinks(tx: Tx, webhookId: string): Promise<void> {
  await tx
    .updateTable('webhook_deliveries')
    .set({ answerable: null })
    .where('webhook_id', '=', webhookId)
    .where((e) => e.or([e('state', '<>', 'pending'), e('attempts', '>', 0), e('claimed_until', '>', 0)]))
    .execute()
}

/** What waits to be sent is not. */
export async function giveUpPending(tx: Tx, clock: DatabaseClock, webhookId: string, why: string): Promise<void> {
  await tx
    .updateTable('webhook_deliveries')
    .set({ state: 'failed', last_error: why, answerable: null, claimed_until: 0, settled_at: clock.at() })
    .where('webhook_id', '=', webhookId)
    .where('state', '=', 'pending')
    .execute()
}

/** Forgets what was delivered, or given up, before an instant. */
export async function pruneDeliveries({ db }: { db: Db }, before: number): Promise<void> {
  await db.query
    .deleteFrom('webhook_deliveries')
    .where('state', '<>', 'pending')
    .where('settled_at', '<', before)
    .execute()
}
