import { hash } from 'node:crypto'
import { isoTime } from '#platform/core/clock.ts'
import type { Tx } from '#platform/db/db.ts'
import { upsert } from '#platform/db/rows/upsert.ts'
import type { Publish } from '#platform/db/signals.ts'
import type { WebhookEvent, WebhookInclude } from './webhook.ts'

/** The question that a link answers, and its deadline. */
export type AnswerableQuestion = { internId: string; sessionId: string; questionId: string; until: number }

/** An event for the webhooks of a workspace. */
export type QueuedEvent = {
  event: WebhookEvent
  /** Identifies the event, so that it is queued once: the ids of its deliveries are hashes of this text. */
  deduplicationKey: string
  at: number
  workspaceId: string
  /** The only member who can see the event; undefined if the whole workspace can. */
  visibleTo?: string | undefined
  data: object
  /** Added to `data` for webhooks that include `question`. */
  question?: object
  /** The question that the link in a delivery answers, for webhooks that include `answer_link`. */
  answerable?: AnswerableQuestion
}

/** The maximum length of a payload, in UTF-16 units of JSON. A question that exceeds it is replaced by `too long`. */
const maxPayloadLength = 64 * 1024

/**
 * Queues the deliveries of an event in the transaction that causes it. Events of an intern that only its creator sees
 * go only to webhooks of the same member.
 */
export async function queueEvent(tx: Tx, publish: Publish, queued: QueuedEvent): Promise<void> {
  const { event, workspaceId, visibleTo } = queued
  let webhooks = tx.selectFrom('webhooks').where('workspace_id', '=', workspaceId).where('enabled', '=', 1)
  if (visibleTo !== undefined) webhooks = webhooks.where('created_by', '=', visibleTo)
  const webhookRows = await webhooks.select(['id', 'events', 'include']).execute()
  const rows = webhookRows
    .filter(({ events }) => (JSON.parse(events) as string[]).includes(event))
    .map(({ id, include }) => createDeliveryRow(id, queued, JSON.parse(include) as WebhookInclude[]))
  if (rows.length === 0) return
  // A delivery that is queued already stays as it is: only its `event` is replaced, by the same value.
  await upsert(tx, 'webhook_deliveries', rows, { key: ['id'], replace: ['event'] }).execute()
  publish('webhook.queued', workspaceId)
}

/** Creates the row of a delivery that is due now. Its id depends only on the webhook and the deduplication key. */
export function createDeliveryRow(webhookId: string, queued: QueuedEvent, include: readonly WebhookInclude[] = []) {
  const { event, deduplicationKey: subject, at, data, question, answerable } = queued
  const hasQuestion = include.includes('question') && question !== undefined
  const whole = serializePayload(event, at, hasQuestion ? { ...data, question } : data)
  const isTooLong = hasQuestion && whole.length > maxPayloadLength
  const hasLink = include.includes('answer_link') && answerable !== undefined
  return {
    id: `msg_${hash('sha256', `${webhookId} ${subject}`, 'hex').slice(0, 32)}`,
    webhook_id: webhookId,
    event,
    payload: isTooLong ? serializePayload(event, at, { ...data, question: 'too long' }) : whole,
    answerable: hasLink ? JSON.stringify(answerable) : null,
    state: 'pending',
    attempts: 0,
    next_at: 0,
    claimed_until: 0,
    created_at: at,
  }
}

const serializePayload = (type: string, at: number, data: object) =>
  JSON.stringify({ type, timestamp: isoTime(at), data })
