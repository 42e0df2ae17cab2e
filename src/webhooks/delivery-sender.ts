import type { Vault } from '#identity/provider-keys/vault.ts'
import { startReconciler } from '#platform/async/reconcile.ts'
import { dayMs, hourMs } from '#platform/core/clock.ts'
import { parseRetryAfter } from '#platform/net/retry-after.ts'
import type { Log } from '#platform/process/log.ts'
import { type ClaimedDelivery, claimDeliveries } from './claim-deliveries.ts'
import {
  type DeliveryResult,
  pruneDeliveries,
  type QueueDeps,
  recordFailure,
  recordSuccess,
  releaseClaim,
} from './delivery-queue.ts'
import type { AnswerableQuestion } from './outbox.ts'
import { toSlackBody } from './readable-event.ts'
import { findRecipient, sendEmail } from './webhook-email.ts'
import { sendRequest, type WebhookNetwork } from './webhook-request.ts'
import { signHeaders } from './webhook-secret.ts'

export type SenderDeps = QueueDeps & {
  vault: Vault
  config: WebhookNetwork
  log: Pick<Log, 'info' | 'warn'>
  /** Creates the link that answers a question; undefined if links are not available. */
  createLink: (deliveryId: string, answerable: AnswerableQuestion) => string | undefined
  onError: (error: Error) => void
  observe: (outcome: 'delivered' | 'retried' | 'failed', seconds: number) => void
}

/** The delay after each failed attempt, nearly 28 hours in total. Each is extended randomly by up to 20 %. */
export const retrySeconds = [5, 30, 120, 600, 1800, 3600, 7200, 14_400, 28_800, 43_200]
/** The longest delay that a receiver can request: the longest one of the schedule. */
const maxRetryAfterMs = Math.max(...retrySeconds) * 1000

type SenderTiming = { pollMs?: number; retentionMs?: number }

/** Maximum parallel deliveries. Failing webhooks use at most half, so that healthy ones are not delayed. */
const maxParallel = { total: 16, perWebhook: 4, failing: 8 }
const pruneEveryMs = hourMs

/**
 * Sends queued deliveries until it is stopped. Several servers can run it: a server claims a delivery for a minute, and
 * another one takes over after a crash. @returns a function that stops it and releases the deliveries in flight.
 */
export function startSender(
  deps: SenderDeps,
  { pollMs = 2000, retentionMs = 7 * dayMs }: SenderTiming = {},
): () => Promise<void> {
  const inFlight = new Map<string, { claimed: ClaimedDelivery; finished: Promise<void> }>()
  let prunedAt = 0

  const start = (claimed: ClaimedDelivery, signal: AbortSignal) => {
    const finished = deliver(deps, claimed, signal)
      .catch(deps.onError)
      .finally(() => {
        inFlight.delete(claimed.id)
        trigger()
      })
    inFlight.set(claimed.id, { claimed, finished })
  }
  const startDeliveries = async (signal: AbortSignal) => {
    const free = maxParallel.total - inFlight.size
    if (free <= 0) return
    // A webhook with deliveries in flight gets no further ones, so that a slow receiver cannot use all slots.
    const active = [...inFlight.values()].map(({ claimed }) => claimed)
    const busyWebhooks = [...new Set(active.map(({ webhookId }) => webhookId))]
    const failing = Math.min(free, maxParallel.failing - active.filter(({ isFailing }) => isFailing).length)
    const limits = { total: free, perWebhook: maxParallel.perWebhook, failing, busyWebhooks }
    for (const claimed of await claimDeliveries(deps, limits)) start(claimed, signal)
  }
  const sendAndPrune = async (signal: AbortSignal) => {
    await startDeliveries(signal).catch(deps.onError)
    if (deps.now() - prunedAt > pruneEveryMs) {
      prunedAt = deps.now()
      await pruneDeliveries(deps, prunedAt - retentionMs).catch(deps.onError)
    }
    return pollMs
  }
  const { trigger, stop } = startReconciler(sendAndPrune, { retryMs: pollMs, onError: deps.onError })
  const unsubscribe = deps.db.signals.subscribe('webhook.queued', trigger)
  trigger()
  return async () => {
    unsubscribe()
    await stop()
    await Promise.all([...inFlight.values()].map(({ finished }) => finished))
  }
}

async function deliver(deps: SenderDeps, claimed: ClaimedDelivery, signal: AbortSignal): Promise<void> {
  const { log, observe } = deps
  const { id, webhookId, event, attempts } = claimed
  const startedAt = performance.now()
  const { status, error, retryAfter } = await attempt(deps, claimed, signal)
  // The stop of this server ended the attempt. The receiver may have accepted the delivery, but the next server sends it again.
  if (signal.aborted && status === null) return releaseClaim(deps, id)
  const seconds = (performance.now() - startedAt) / 1000
  const logFields = {
    delivery: id,
    webhook: webhookId,
    event,
    attempt: attempts + 1,
    status,
    ms: Math.round(seconds * 1000),
  }
  if (status !== null && error === null) {
    await recordSuccess(deps, claimed, status)
    observe('delivered', seconds)
    return void log.info(logFields, 'webhook delivered')
  }
  const isGone = status === 410
  const retryInMs = isGone ? undefined : computeRetryDelay(attempts, parseRetryAfter(retryAfter, deps.now()))
  const disabledReason = await recordFailure(deps, claimed, { status, error, retryInMs, isGone })
  observe(retryInMs === undefined ? 'failed' : 'retried', seconds)
  const retryFields = retryInMs === undefined ? {} : { retryInMs: Math.round(retryInMs) }
  log.warn({ ...logFields, error, ...retryFields }, 'webhook not delivered')
  if (disabledReason !== undefined) log.warn({ webhook: webhookId, reason: disabledReason }, 'webhook disabled')
}

/** Returns the delay before the next attempt: that of the schedule, or a longer one that the receiver requests. */
function computeRetryDelay(attempts: number, retryAfterMs = 0): number | undefined {
  const seconds = retrySeconds[attempts]
  if (seconds === undefined) return undefined
  const scheduledMs = seconds * 1000 * (1 + Math.random() / 5)
  return Math.max(scheduledMs, Math.min(retryAfterMs, maxRetryAfterMs))
}

async function attempt(deps: SenderDeps, claimed: ClaimedDelivery, signal: AbortSignal): Promise<DeliveryResult> {
  const { id, url, format } = claimed
  const recipient = findRecipient(url)
  if (recipient !== undefined) return sendEmail(deps.config, recipient, id, createPayload(deps, claimed))
  const secrets = decryptSecrets(deps, claimed)
  // Retried like other failures, because the operator can restore the key.
  if (secrets.length === 0) return { status: null, error: unreadableSecret }
  const payload = createPayload(deps, claimed)
  const body = format === 'slack' ? toSlackBody(payload) : payload
  const headers = signHeaders(secrets, { id, timestamp: Math.floor(deps.now() / 1000), body })
  return sendRequest(deps.config, { url, headers, body }, signal)
}

const unreadableSecret =
  'its secret cannot be read with the encryption key of this server; rotate the secret, or set the key that encrypted it'

/** Decrypts the secrets. Skips those that were encrypted with another key. */
function decryptSecrets({ vault }: SenderDeps, { encryptedSecrets, webhookId }: ClaimedDelivery): string[] {
  return encryptedSecrets.flatMap((encrypted) => {
    try {
      return vault.open(encrypted, webhookId)
    } catch {
      return []
    }
  })
}

/** Adds the answer link to the payload. It is created for each attempt and never stored. */
function createPayload({ createLink }: SenderDeps, { id, payload, answerable }: ClaimedDelivery): string {
  const link = answerable && createLink(id, answerable)
  if (!link) return payload
  const event = JSON.parse(payload) as { data: object }
  return JSON.stringify({ ...event, data: { ...event.data, answer_url: link } })
}
