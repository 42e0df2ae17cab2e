import { timingSafeEqual } from 'node:crypto'
import type { Vault } from '#identity/provider-keys/vault.ts'
import type { Now } from '#platform/core/clock.ts'
import type { Db } from '#platform/db/db.ts'
import type { Answerable } from './outbox.ts'

type Signer = Pick<Vault, 'digest'>

const place = 'answer link'
const form = /^(msg_[0-9a-f]{32})\.(\d{1,16})\.([0-9a-f]{64})$/

/** Creates the last part of a link: its delivery and its expiry time, signed by this service. */
export function answerToken(vault: Signer, deliveryId: string, { until }: Pick<Answerable, 'until'>): string {
  const signed = `${deliveryId}.${Math.floor(until)}`
  return `${signed}.${vault.digest(signed, place)}`
}

/** Verifies and parses a token. Returns undefined if this service did not sign it. */
export function readAnswerToken(vault: Signer, token: string): { deliveryId: string; until: number } | undefined {
  const [, deliveryId = '', until = '', signature = ''] = form.exec(token) ?? []
  const right = vault.digest(`${deliveryId}.${until}`, place)
  if (signature.length !== right.length || !timingSafeEqual(Buffer.from(signature), Buffer.from(right)))
    return undefined
  return { deliveryId, until: Number(until) }
}

export type LinkedQuestion = Answerable & {
  deliveryId: string
  webhookId: string
  organizationId: string
  workspaceId: string
  /** The creator of the webhook, on whose behalf the link answers. */
  userId: string
  answeredAt: number | null
}

/** Finds the question of a link. Undefined if its webhook was deleted or does not include answer links any more. */
export async function linkedQuestion({ db }: { db: Db }, deliveryId: string): Promise<LinkedQuestion | undefined> {
  const row = await db.query
    .selectFrom('webhook_deliveries as d')
    .innerJoin('webhooks as w', 'w.id', 'd.webhook_id')
    .where('d.id', '=', deliveryId)
    .where('w.enabled', '=', 1)
    .select(['d.answerable', 'd.answered_at', 'd.webhook_id', 'w.organization_id', 'w.workspace_id', 'w.created_by'])
    .select('w.include')
    .executeTakeFirst()
  if (!row?.answerable || !(JSON.parse(row.include) as string[]).includes('answer_link')) return undefined
  return {
    ...(JSON.parse(row.answerable) as Answerable),
    deliveryId,
    webhookId: row.webhook_id,
    organizationId: row.organization_id,
    workspaceId: row.workspace_id,
    userId: row.created_by,
    answeredAt: row.answered_at,
  }
}

/** The longest time that storing an answer takes. If the question is still open later, the server of the answer died. */
const givenWithinMs = 60_000

/** Returns whether an answer by this link is in progress or was given. */
export const isInUse = ({ answeredAt }: Pick<LinkedQuestion, 'answeredAt'>, now: number): boolean =>
  answeredAt !== null && answeredAt > now - givenWithinMs

/** Claims a link. @returns whether the caller can answer now; true for only one of concurrent callers. */
export async function useLink({ db, now }: { db: Db; now: Now }, deliveryId: string): Promise<boolean> {
  const { numUpdatedRows } = await db.query
    .updateTable('webhook_deliveries')
    .set({ answered_at: now() })
    .where('id', '=', deliveryId)
    .where((e) => e.or([e('answered_at', 'is', null), e('answered_at', '<=', now() - givenWithinMs)]))
    .executeTakeFirst()
  return numUpdatedRows > 0
}

/** Makes a link usable again after its answer was refused without effect. */
export async function restoreLink({ db }: { db: Db }, deliveryId: string): Promise<void> {
  await db.query.updateTable('webhook_deliveries').set({ answered_at: null }).where('id', '=', deliveryId).execute()
}
