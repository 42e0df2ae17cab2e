import type { DatabaseClock } from '#platform/db/clock.ts'
import type { Db, Query } from '#platform/db/db.ts'
import { sql } from '#platform/db/kysely.ts'
import type { Answerable } from './outbox.ts'

type ClaimDeps = { db: Db; clock: DatabaseClock; server: string }

/** A delivery that only this server sends now. */
export type Claimed = {
  id: string
  event: string
  webhookId: string
  url: string
  format: string
  payload: string
  answerable: Answerable | null
  attempts: number
  /** Whether the last delivery of its webhook failed. */
  isFailing: boolean
  /** The encrypted signing secrets; the second one only until the overlap ends. */
  sealed: string[]
}

/** How long a server has a claimed delivery. Longer than any attempt. */
const leaseMs = 60_000

/** Limits of one claim: in total, for each webhook, and for all failing webhooks together. */
export type Share = { limit: number; each: number; failing: number; busy: readonly string[] }

/**
 * Claims deliveries that are due: at most `each` per webhook, and none of the webhooks in `busy`. A webhook whose last
 * delivery failed gets one, to probe its receiver.
 */
export async function claimDeliveries(
  { db, clock, server }: ClaimDeps,
  { limit, each, failing, busy }: Share,
): Promise<Claimed[]> {
  const healthy = await dueWebhooks({ db, clock }, { limit, busy, isFailing: false })
  const others = failing > 0 ? await dueWebhooks({ db, clock }, { limit: failing, busy, isFailing: true }) : []
  const ids: string[] = []
  // Failing webhooks come first. Their share is small, and the healthy ones would use it up.
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

type QueryDeps = Pick<ClaimDeps, 'db' | 'clock'>

/**
 * Finds webhooks with a delivery that is due. Looks only at the first delivery of each, so a long queue costs nothing.
 * Picks at random among them, so that no webhook is starved.
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
    // SQLite turns `exists` into a join, and the random choice then prefers the last rows.
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
      'w.format',
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
