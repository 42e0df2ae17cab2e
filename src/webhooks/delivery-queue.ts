import { recordChange } from '#identity/audit/audit.ts'
import { dayMs, type Now } from '#platform/core/clock.ts'
import type { NewId } from '#platform/core/id.ts'
import type { DatabaseClock } from '#platform/db/clock.ts'
import type { Db, Tx } from '#platform/db/db.ts'
import { sql } from '#platform/db/kysely.ts'
import type { ClaimedDelivery } from './claim-deliveries.ts'
import { toWebhook } from './webhook.ts'

export type QueueDeps = { db: Db; clock: DatabaseClock; now: Now; newId: NewId; server: string }

/** The result of an attempt. It succeeded if `error` is null. */
export type DeliveryResult = {
  status: number | null
  error: string | null
  /** The header `Retry-After` of a receiver that is overloaded. */
  retryAfter?: string | undefined
}

/** Maximum length of a stored error, in characters. */
export const maxErrorLength = 300

/** A webhook that fails for this long is disabled. */
const disableAfterMs = 5 * dayMs

/** An update of a pending delivery. Changes nothing if another server has claimed the delivery since. */
const ownClaimQuery = (tx: Tx, { server }: QueueDeps, id: string) =>
  tx
    .updateTable('webhook_deliveries')
    .where('id', '=', id)
    .where('claimed_by', '=', server)
    .where('state', '=', 'pending')

/** An update of the webhook of a delivery. Changes nothing if the webhook got another URL during the attempt. */
const webhookQuery = (tx: Tx, { webhookId, url }: ClaimedDelivery) =>
  tx.updateTable('webhooks').where('id', '=', webhookId).where('url', '=', url)

/** Releases a delivery, so that the next server sends it at once. */
export async function releaseClaim(deps: QueueDeps, id: string): Promise<void> {
  await deps.db.exclusively('webhook deliveries', (tx) =>
    ownClaimQuery(tx, deps, id).set({ claimed_until: 0 }).execute(),
  )
}

/** Records a successful delivery. Has no effect if another server has claimed the delivery since. */
export async function recordSuccess(deps: QueueDeps, claimed: ClaimedDelivery, status: number): Promise<void> {
  const { db, clock } = deps
  await db.exclusively('webhook deliveries', async (tx) => {
    const outcome = { state: 'delivered', attempts: claimed.attempts + 1, last_status: status, last_error: null }
    const { numUpdatedRows } = await ownClaimQuery(tx, deps, claimed.id)
      .set({ ...outcome, claimed_until: 0, settled_at: clock.nowSql() })
      .executeTakeFirst()
    if (numUpdatedRows === 0n) return
    await webhookQuery(tx, claimed).set({ failing_since: null }).where('failing_since', 'is not', null).execute()
  })
}

type FailedAttempt = DeliveryResult & {
  /** The delay before the next attempt; undefined if there is none. */
  retryInMs: number | undefined
  /** Whether the receiver answered 410 (Gone). */
  isGone: boolean
}

/**
 * Records a failed attempt. Has no effect if another server has claimed the delivery since.
 * @returns why the webhook was disabled; undefined if it was not.
 */
export async function recordFailure(
  deps: QueueDeps,
  claimed: ClaimedDelivery,
  failed: FailedAttempt,
): Promise<string | undefined> {
  const { db, clock } = deps
  const { id, attempts } = claimed
  const { status, error, retryInMs } = failed
  return db.exclusively('webhook deliveries', async (tx) => {
    const isFinal = retryInMs === undefined
    const { numUpdatedRows } = await ownClaimQuery(tx, deps, id)
      .set({
        state: isFinal ? 'failed' : 'pending',
        attempts: attempts + 1,
        last_status: status,
        last_error: error,
        claimed_until: 0,
        next_at: sql<number>`${clock.nowSql()} + ${sql.lit(Math.round(retryInMs ?? 0))}`,
        ...(isFinal && { settled_at: clock.nowSql() }),
      })
      .executeTakeFirst()
    if (numUpdatedRows === 0n) return undefined
    await webhookQuery(tx, claimed).set({ failing_since: clock.nowSql() }).where('failing_since', 'is', null).execute()
    return disableIfUnusable(deps, tx, claimed, failed)
  })
}

/**
 * Disables a webhook whose receiver is gone or has failed for too long.
 * @returns the reason; undefined if it stays enabled.
 */
async function disableIfUnusable(
  deps: QueueDeps,
  tx: Tx,
  claimed: ClaimedDelivery,
  { status, error, isGone }: FailedAttempt,
): Promise<string | undefined> {
  const { clock, now } = deps
  const row = await tx
    .selectFrom('webhooks')
    .where('id', '=', claimed.webhookId)
    .where('url', '=', claimed.url)
    .where('enabled', '=', 1)
    .$if(!isGone, (rows) =>
      rows.where('failing_since', '<=', sql<number>`${clock.nowSql()} - ${sql.lit(disableAfterMs)}`),
    )
    .selectAll()
    .executeTakeFirst()
  if (!row) return undefined
  const reason = isGone
    ? 'The receiver answered 410 (Gone).'
    : `All deliveries failed for ${disableAfterMs / dayMs} days; the last error: ${error ?? status}.`
  const disabledRow = { ...row, enabled: 0, disabled_reason: reason }
  await webhookQuery(tx, claimed).set({ enabled: 0, disabled_reason: reason }).execute()
  await recordChange(
    deps,
    tx,
    { organizationId: row.organization_id, userId: row.created_by, keyHash: null },
    {
      action: 'webhook.disabled_by_service',
      targetKind: 'webhook',
      targetId: row.id,
      before: toWebhook(row, now()),
      after: toWebhook(disabledRow, now()),
    },
  )
  return reason
}

/** Invalidates the answer links of deliveries that were sent, or are possibly being sent. */
export async function invalidateLinks(tx: Tx, webhookId: string): Promise<void> {
  await tx
    .updateTable('webhook_deliveries')
    .set({ answerable: null })
    .where('webhook_id', '=', webhookId)
    .where((e) => e.or([e('state', '<>', 'pending'), e('attempts', '>', 0), e('claimed_until', '>', 0)]))
    .execute()
}

/** Marks the pending deliveries of a webhook as failed. */
export async function failPending(tx: Tx, clock: DatabaseClock, webhookId: string, reason: string): Promise<void> {
  await tx
    .updateTable('webhook_deliveries')
    .set({ state: 'failed', last_error: reason, answerable: null, claimed_until: 0, settled_at: clock.nowSql() })
    .where('webhook_id', '=', webhookId)
    .where('state', '=', 'pending')
    .execute()
}

/** Deletes deliveries that ended before a time. */
export async function pruneDeliveries({ db }: { db: Db }, beforeMs: number): Promise<void> {
  await db.query
    .deleteFrom('webhook_deliveries')
    .where('state', '<>', 'pending')
    .where('settled_at', '<', beforeMs)
    .execute()
}
