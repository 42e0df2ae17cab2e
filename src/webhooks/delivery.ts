import type { Selectable } from 'kysely'
import { isoTime, type Now } from '#platform/core/clock.ts'
import { Fault } from '#platform/core/fault.ts'
import type { NewId } from '#platform/core/id.ts'
import type { Db, Query } from '#platform/db/db.ts'
import type { Tables } from '#platform/db/tables.ts'
import type { Page, PageQuery } from '#platform/json/page.ts'
import { z } from '#platform/json/schema.ts'
import { createDeliveryRow } from './outbox.ts'
import { isoTimeOrNull, type Webhook, webhookEvents } from './webhook.ts'

export const deliveryStates = ['pending', 'delivered', 'failed'] as const

export const WebhookDelivery = z
  .object({
    id: z.string().describe('The `webhook-id` header of the delivery, the same for each attempt.'),
    webhook_id: z.string(),
    event: z.enum([...webhookEvents, 'webhook.test']),
    state: z
      .enum(deliveryStates)
      .describe('`failed`: every attempt failed, and the delivery is not retried automatically.'),
    attempts: z.int(),
    next_attempt_at: z.iso.datetime().nullable(),
    last_status: z.int().nullable().describe('The HTTP status of the last attempt; null if it got no response.'),
    last_error: z.string().nullable(),
    created_at: z.iso.datetime(),
    settled_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'WebhookDelivery', description: 'The delivery of an event to a webhook.' })
export type WebhookDelivery = z.output<typeof WebhookDelivery>

function toDeliveryItem(row: Selectable<Tables['webhook_deliveries']>): WebhookDelivery {
  return {
    id: row.id,
    webhook_id: row.webhook_id,
    event: row.event as WebhookDelivery['event'],
    state: row.state as WebhookDelivery['state'],
    attempts: row.attempts,
    // `next_at` is 0 for a delivery that is due since it was queued.
    next_attempt_at: row.state === 'pending' ? isoTime(row.next_at || row.created_at) : null,
    last_status: row.last_status,
    last_error: row.last_error,
    created_at: isoTime(row.created_at),
    settled_at: isoTimeOrNull(row.settled_at),
  }
}

type Filter = PageQuery & { state?: (typeof deliveryStates)[number] | undefined }

/** Lists deliveries, newest first. */
export async function listDeliveries(
  { db }: { db: { query: Query } },
  webhookId: string,
  { offset, limit, state }: Filter,
): Promise<Page<WebhookDelivery>> {
  let matching = db.query.selectFrom('webhook_deliveries').where('webhook_id', '=', webhookId)
  if (state !== undefined) matching = matching.where('state', '=', state)
  const ordered = matching.selectAll().orderBy('created_at', 'desc').orderBy('id')
  const [rows, count] = await Promise.all([
    ordered.offset(offset).limit(limit).execute(),
    matching.select((row) => row.fn.countAll<number>().as('n')).executeTakeFirstOrThrow(),
  ])
  return { data: rows.map(toDeliveryItem), total_count: Number(count.n) }
}

async function getDelivery(query: Query, webhookId: string, id: string): Promise<WebhookDelivery> {
  const row = await query
    .selectFrom('webhook_deliveries')
    .where('webhook_id', '=', webhookId)
    .where('id', '=', id)
    .selectAll()
    .executeTakeFirst()
  if (row) return toDeliveryItem(row)
  throw new Fault('not_found', 'Delivery not found. Old deliveries are deleted.')
}

type TestEventDeps = { db: Db; now: Now; newId: NewId }

/** Queues a test event without content. @throws Fault `conflict` if the webhook is disabled. */
export async function queueTest(deps: TestEventDeps, webhook: Webhook): Promise<WebhookDelivery> {
  requireEnabled(webhook)
  const { id, workspace_id: workspaceId } = webhook
  const event = {
    event: 'webhook.test' as const,
    deduplicationKey: deps.newId(),
    at: deps.now(),
    workspaceId,
    data: { webhook_id: id },
  }
  const row = createDeliveryRow(id, event)
  await deps.db.exclusively(`webhooks of ${workspaceId}`, async (tx, publish) => {
    await tx.insertInto('webhook_deliveries').values(row).execute()
    publish('webhook.queued', workspaceId)
  })
  return getDelivery(deps.db.query, id, row.id)
}

/** Sends a delivery again, with the retries of a new one. @throws Fault `conflict` if the webhook is disabled. */
export async function retryDelivery(deps: TestEventDeps, webhook: Webhook, id: string): Promise<WebhookDelivery> {
  requireEnabled(webhook)
  await getDelivery(deps.db.query, webhook.id, id)
  await deps.db.exclusively(`webhooks of ${webhook.workspace_id}`, async (tx, publish) => {
    await tx
      .updateTable('webhook_deliveries')
      .set({ state: 'pending', attempts: 0, next_at: 0, settled_at: null })
      .where('id', '=', id)
      .where('webhook_id', '=', webhook.id)
      .execute()
    publish('webhook.queued', webhook.workspace_id)
  })
  return getDelivery(deps.db.query, webhook.id, id)
}

function requireEnabled({ enabled }: Webhook): void {
  if (!enabled) throw new Fault('conflict', 'The webhook is disabled; enable it first, with {"enabled": true}.')
}
