import type { DatabaseClock } from '#platform/db/clock.ts'
import type { Db, Query } from '#platform/db/db.ts'
import { sql } from '#platform/db/kysely.ts'
import type { AnswerableQuestion } from './outbox.ts'

type ClaimDeps = { db: Db; clock: DatabaseClock; server: string }

/** A delivery that only this server sends now. */
export type ClaimedDelivery = {
  id: string
  event: string
  webhookId: string
  url: string
  format: string
  payload: string
  answerable: AnswerableQuestion | null
  attempts: number
  /** Whether the last delivery of its webhook failed. */
  isFailing: boolean
  /** The encrypted signing secrets; the second one only until the overlap ends. */
  encryptedSecrets: string[]
}

/** The time after which another server can claim a delivery. Longer than any attempt. */
const leaseMs = 60_000

/** Limits of one claim: in total, for each webhook, and for all failing webhooks together. */
type ClaimLimits = { total: number; perWebhook: number; failing: number; busyWebhooks: readonly string[] }

/**
 * Claims deliveries that are due: at most `perWebhook` for each webhook, and none of `busyWebhooks`, which have deliveries in
 * flight. A webhook whose last delivery failed gets one, to probe its receiver.
 */
export async function claimDeliveries(
  { db, clock, server }: ClaimDeps,
  { total, perWebhook, failing, busyWebhooks }: ClaimLimits,
): Promise<ClaimedDelivery[]> {
  const healthyWebhooks = await findDueWebhooks({ db, clock }, { limit: total, busyWebhooks, isFailing: false })
  const failingWebhooks =
    failing > 0 ? await findDueWebhooks({ db, clock }, { limit: failing, busyWebhooks, isFailing: true }) : []
  const ids: string[] = []
  // Failing webhooks come first: their share is small, and otherwise the healthy ones would fill the claim.
  for (const webhook of failingWebhooks) ids.push(...(await findDueDeliveries({ db, clock }, webhook, 1)))
  for (const webhook of healthyWebhooks) ids.push(...(await findDueDeliveries({ db, clock }, webhook, perWebhook)))
  if (ids.length === 0) return []
  const claimed = await db.exclusively('webhook deliveries', (tx) =>
    tx
      .updateTable('webhook_deliveries')
      .set({ claimed_by: server, claimed_until: sql<number>`${clock.nowSql()} + ${sql.lit(leaseMs)}` })
      .where('id', 'in', ids.slice(0, total))
      .where('state', '=', 'pending')
      .where('claimed_until', '<=', clock.nowSql())
      .returning('id')
      .execute(),
  )
  if (claimed.length === 0) return []
  const claimedIds = claimed.map(({ id }) => id)
  return readDeliveries(db, clock, claimedIds)
}

type QueryDeps = Pick<ClaimDeps, 'db' | 'clock'>

/**
 * Finds webhooks with a delivery that is due. Reads only the first delivery of each, so that a long queue costs
 * nothing. The order is random, so that no webhook is starved.
 */
async function findDueWebhooks(
  { db, clock }: QueryDeps,
  { limit, busyWebhooks, isFailing }: { limit: number; busyWebhooks: readonly string[]; isFailing: boolean },
): Promise<string[]> {
  const rows = await db.query
    .selectFrom('webhooks as w')
    .where('w.enabled', '=', 1)
    .where('w.failing_since', isFailing ? 'is not' : 'is', null)
    .$if(busyWebhooks.length > 0, (rows) => rows.where('w.id', 'not in', busyWebhooks))
    // SQLite turns `exists` into a join, and the random choice then prefers the last rows.
    .where((e) =>
      e(
        selectDueDeliveries(db.query, clock)
          .where('d.webhook_id', '=', sql.ref<string>('w.id'))
          .select('d.id')
          .limit(1),
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

async function findDueDeliveries({ db, clock }: QueryDeps, webhookId: string, limit: number): Promise<string[]> {
  const rows = await selectDueDeliveries(db.query, clock)
    .where('d.webhook_id', '=', webhookId)
    .select('d.id')
    .orderBy('d.next_at')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

const selectDueDeliveries = (from: Pick<Query, 'selectFrom'>, clock: DatabaseClock) =>
  from
    .selectFrom('webhook_deliveries as d')
    .where('d.state', '=', 'pending')
    .where('d.next_at', '<=', clock.nowSql())
    .where('d.claimed_until', '<=', clock.nowSql())

async function readDeliveries(db: Db, clock: DatabaseClock, ids: string[]): Promise<ClaimedDelivery[]> {
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
      e
        .case()
        .when('w.before_until', '>', clock.nowSql())
        .then(e.ref('w.sealed_before'))
        .else(null)
        .end()
        .as('previous_secret'),
    )
    .execute()
  return rows.map(({ webhook_id: webhookId, answerable, sealed, previous_secret, failing_since, ...row }) => ({
    ...row,
    webhookId,
    isFailing: failing_since !== null,
    answerable: answerable === null ? null : (JSON.parse(answerable) as AnswerableQuestion),
    encryptedSecrets: previous_secret === null ? [sealed] : [sealed, previous_secret],
  }))
}
