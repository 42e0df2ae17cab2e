import { timingSafeEqual } from 'node:crypto'
import type { Vault } from '#identity/provider-keys/vault.ts'
import type { Now } from '#platform/core/clock.ts'
import type { Db } from '#platform/db/db.ts'
import type { Answerable } from './outbox.ts'

type Signer = Pick<Vault, 'digest'>

const place = 'answer link'
const form = /^(msg_[0-9a-f]{32})\.(\d{1,16})\.([0-9a-f]{64})$/

/** What the last part of a link says: which delivery it came with, until when it answers, and that this service said so. */
export function answerToken(vault: Signer, deliveryId: string, { until }: Pick<Answerable, 'until'>): string {
  const said = `${deliveryId}.${Math.floor(until)}`
  return `${said}.${vault.digest(said, place)}`
}

/** Undefined for what this service never said. */
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
  /** In whose name it answers: whoever made the webhook. */
  userId: string
  answeredAt: number | null
}

/** What a link is about; undefined where its webhook is no more or tells of no links now. */
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

/** Longer than an answer takes to be given. If it was used before that and its question waits still, it was in vain: its server died. */
const givenWithinMs = 60_000

/** Whether an answer is on its way by it, or was given. */
export const isInUse = ({ answeredAt }: Pick<LinkedQuestion, 'answeredAt'>, now: number): boolean =>
  answeredAt !== null && answeredAt > now - givenWithinMs

/** @returns whether it may answer now: of two who come at once it is true for one. */
export async function useLink({ db, now }: { db: Db; now: Now }, deliveryId: string): Promise<boolean> {
  const { numUpdatedRows } = await db.query
    .updateTable('webhook_deliveries')
    .set({ answered_at: now() })
    .where('id', '=', deliveryId)
    .where((e) => e.or([e('answered_at', 'is', null), e('answered_at', '<=', now() - givenWithinMs)]))
    .executeTakeFirst()
  return numUpdatedRows > 0
}

/** Its answer was not taken, and changed nothing: it may be used again. */
export async function restoreLink({ db }: { db: Db }, deliveryId: string): Promise<void> {
  await db.query.updateTable('webhook_deliveries').set({ answered_at: null }).where('id', '=', deliveryId).execute()
}
