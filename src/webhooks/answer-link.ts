import { timingSafeEqual } from 'node:crypto'
import type { Vault } from '#identity/provider-keys/vault.ts'
import type { Now } from '#platform/core/clock.ts'
import type { Db } from '#platform/db/db.ts'
import type { AnswerableQuestion } from './outbox.ts'

type Signer = Pick<Vault, 'digest'>

const digestPurpose = 'answer link'
const tokenPattern = /^(msg_[0-9a-f]{32})\.(\d{1,16})\.([0-9a-f]{64})$/

/** Creates the token at the end of a link: the id of the delivery and the expiry time, signed. */
export function createAnswerToken(
  vault: Signer,
  deliveryId: string,
  { until }: Pick<AnswerableQuestion, 'until'>,
): string {
  const signedText = `${deliveryId}.${Math.floor(until)}`
  return `${signedText}.${vault.digest(signedText, digestPurpose)}`
}

/** Verifies and parses a token. Returns undefined if this service did not sign it. */
export function readAnswerToken(vault: Signer, token: string): { deliveryId: string; until: number } | undefined {
  const [, deliveryId = '', until = '', signature = ''] = tokenPattern.exec(token) ?? []
  const expected = vault.digest(`${deliveryId}.${until}`, digestPurpose)
  if (signature.length !== expected.length || !timingSafeEqual(Buffer.from(signature), Buffer.from(expected)))
    return undefined
  return { deliveryId, until: Number(until) }
}

export type LinkedQuestion = AnswerableQuestion & {
  deliveryId: string
  webhookId: string
  organizationId: string
  workspaceId: string
  /** The creator of the webhook, on whose behalf the link answers. */
  userId: string
  answeredAt: number | null
}

/** Finds the question of a link. Undefined if its webhook was deleted or does not include answer links any more. */
export async function findLinkedQuestion({ db }: { db: Db }, deliveryId: string): Promise<LinkedQuestion | undefined> {
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
    ...(JSON.parse(row.answerable) as AnswerableQuestion),
    deliveryId,
    webhookId: row.webhook_id,
    organizationId: row.organization_id,
    workspaceId: row.workspace_id,
    userId: row.created_by,
    answeredAt: row.answered_at,
  }
}

/** The maximum time to store an answer. If the question is open after it, the server that was storing it died. */
const maxAnswerMs = 60_000

/** Whether an answer by this link is being stored, or was stored. */
export const isLinkInUse = ({ answeredAt }: Pick<LinkedQuestion, 'answeredAt'>, now: number): boolean =>
  answeredAt !== null && answeredAt > now - maxAnswerMs

/** Claims a link. @returns whether the caller can answer now; true for only one of concurrent callers. */
export async function claimLink({ db, now }: { db: Db; now: Now }, deliveryId: string): Promise<boolean> {
  const { numUpdatedRows } = await db.query
    .updateTable('webhook_deliveries')
    .set({ answered_at: now() })
    .where('id', '=', deliveryId)
    .where((e) => e.or([e('answered_at', 'is', null), e('answered_at', '<=', now() - maxAnswerMs)]))
    .executeTakeFirst()
  return numUpdatedRows > 0
}

/** Makes a link usable again after its answer was refused without effect. */
export async function restoreLink({ db }: { db: Db }, deliveryId: string): Promise<void> {
  await db.query.updateTable('webhook_deliveries').set({ answered_at: null }).where('id', '=', deliveryId).execute()
}
