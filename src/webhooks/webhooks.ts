import { type Caller, type CallerScope, reachesWorkspace } from '#identity/accounts/caller.ts'
import { resolveWorkspaceId } from '#identity/accounts/workspaces.ts'
import { recordChange } from '#identity/audit/audit.ts'
import type { Vault } from '#identity/provider-keys/vault.ts'
import type { Config } from '#platform/config/settings.ts'
import { hourMs, type Now } from '#platform/core/clock.ts'
import { Fault } from '#platform/core/fault.ts'
import type { NewId } from '#platform/core/id.ts'
import { createDatabaseClock } from '#platform/db/clock.ts'
import type { Db, Query, Tx } from '#platform/db/db.ts'
import type { Page, PageQuery } from '#platform/json/page.ts'
import { failPending, invalidateLinks } from './delivery-queue.ts'
import { forbiddenReason } from './target.ts'
import {
  type NewWebhook,
  toWebhook,
  type Webhook,
  type WebhookInclude,
  type WebhookPatch,
  webhookEvents,
} from './webhook.ts'
import { createSecret } from './webhook-secret.ts'

type WebhookDeps = {
  db: Db
  now: Now
  newId: NewId
  vault: Vault
  config: Pick<Config, 'webhook_origins' | 'public_url' | 'smtp_url' | 'smtp_from'>
}

/** The maximum number of webhooks of a workspace. */
const maxWebhooks = 50
/** How long the previous secret also signs deliveries, in hours: the default and the maximum. */
export const overlapHours = { default: 24, max: 24 * 7 }

export async function listWebhooks(
  deps: { db: Db; now: Now },
  caller: Caller,
  { offset, limit, workspace_id }: PageQuery & { workspace_id?: string | undefined },
): Promise<Page<Webhook>> {
  const workspaceId = await resolveWorkspaceId(deps, caller, workspace_id)
  const all = deps.db.query.selectFrom('webhooks').where('workspace_id', '=', workspaceId)
  const [rows, count] = await Promise.all([
    all.selectAll().orderBy('created_at').orderBy('id').offset(offset).limit(limit).execute(),
    all.select((row) => row.fn.countAll<number>().as('n')).executeTakeFirstOrThrow(),
  ])
  return { data: rows.map((row) => toWebhook(row, deps.now())), total_count: Number(count.n) }
}

/** Returns a webhook. @throws Fault `not_found` if it does not exist or the caller must not see it. */
export async function getWebhook(
  { db, now }: { db: { query: Query | Tx }; now: Now },
  caller: CallerScope,
  id: string,
): Promise<Webhook> {
  const row = await db.query
    .selectFrom('webhooks')
    .where('organization_id', '=', caller.organizationId)
    .where('id', '=', id)
    .selectAll()
    .executeTakeFirst()
  if (row && reachesWorkspace(caller, row.workspace_id)) return toWebhook(row, now())
  throw new Fault('not_found', 'Webhook not found.')
}

type WebhookWithSecret = { webhook: Webhook; secret: string }

/** Creates a webhook. @throws Fault `invalid` if its URL is forbidden. */
export async function createWebhook(deps: WebhookDeps, caller: Caller, input: NewWebhook): Promise<WebhookWithSecret> {
  const {
    url,
    format = 'standard',
    description = null,
    events = [...webhookEvents],
    include = [],
    workspace_id,
  } = input
  requireAllowedUrl(deps, url)
  requireAnswerLinks(deps, include)
  const workspaceId = await resolveWorkspaceId(deps, caller, workspace_id)
  const id = deps.newId()
  const secret = createSecret()
  const row = {
    id,
    organization_id: caller.organizationId,
    workspace_id: workspaceId,
    url,
    format,
    description,
    events: jsonList(events),
    include: jsonList(include),
    enabled: 1,
    ...secretColumns(deps, id, secret),
    created_by: caller.userId,
    created_at: deps.now(),
    updated_at: deps.now(),
  }
  const webhook = await changeWithAudit(deps, caller, { id, workspaceId }, 'created', async (tx) => {
    const { n } = await tx
      .selectFrom('webhooks')
      .where('workspace_id', '=', workspaceId)
      .select((e) => e.fn.countAll<number>().as('n'))
      .executeTakeFirstOrThrow()
    if (Number(n) >= maxWebhooks) throw new Fault('conflict', `A workspace has at most ${maxWebhooks} webhooks.`)
    await tx.insertInto('webhooks').values(row).execute()
    return { before: null, after: await getWebhook({ ...deps, db: { query: tx } }, caller, id) }
  })
  return { webhook, secret }
}

/**
 * Changes a webhook. Enabling it or changing its URL clears its failures, and deliveries that have become due are sent. A
 * member who changes its URL, events or answer links becomes its creator: it then covers that member's private interns.
 */
export async function changeWebhook(
  deps: WebhookDeps,
  caller: Caller,
  id: string,
  patch: WebhookPatch,
): Promise<Webhook> {
  const { url, format, description, events, include, enabled } = patch
  const changesTarget = url !== undefined || events !== undefined || include !== undefined || enabled === true
  if (url !== undefined) requireAllowedUrl(deps, url)
  if (include !== undefined) requireAnswerLinks(deps, include)
  return updateWithAudit(deps, caller, id, 'updated', async (tx, previousWebhook) => {
    const takesOver = changesTarget && previousWebhook.created_by_user_id !== caller.userId
    // Deliveries that were queued for the previous creator can be about interns that the new one must not see.
    if (takesOver)
      await failPending(tx, createDatabaseClock(deps.db, deps.now), id, 'another member changed the webhook')
    const changesUrl = url !== undefined && url !== previousWebhook.url
    if (takesOver || changesUrl) await invalidateLinks(tx, id)
    // Undefined columns do not change.
    const columns = {
      updated_at: deps.now(),
      url,
      format,
      description,
      events: events && jsonList(events),
      include: include && jsonList(include),
      created_by: takesOver ? caller.userId : undefined,
      ...(enabled !== undefined && { enabled: Number(enabled), disabled_reason: null }),
      ...((enabled !== undefined || changesUrl) && { failing_since: null }),
    }
    await tx.updateTable('webhooks').set(columns).where('id', '=', id).execute()
  })
}

/** Creates a new secret. The previous one also signs for `hours`, so that the receiver can switch without failures. */
export async function rotateSecret(
  deps: WebhookDeps,
  caller: Caller,
  id: string,
  hours: number,
): Promise<WebhookWithSecret> {
  const secret = createSecret()
  const until = deps.now() + hours * hourMs
  const webhook = await updateWithAudit(deps, caller, id, 'secret_rotated', (tx) =>
    tx
      .updateTable('webhooks')
      .set((e) => ({
        sealed_before: hours > 0 ? e.ref('sealed') : null,
        before_until: hours > 0 ? until : null,
        ...secretColumns(deps, id, secret),
        updated_at: deps.now(),
      }))
      .where('id', '=', id)
      .execute(),
  )
  return { webhook, secret }
}

export async function deleteWebhook(deps: WebhookDeps, caller: Caller, id: string): Promise<void> {
  const { workspace_id: workspaceId } = await getWebhook(deps, caller, id)
  await changeWithAudit(deps, caller, { id, workspaceId }, 'deleted', async (tx) => {
    const webhook = await getWebhook({ ...deps, db: { query: tx } }, caller, id)
    await tx.deleteFrom('webhooks').where('id', '=', id).execute()
    return { before: webhook, after: null }
  })
}

function requireAllowedUrl({ config }: WebhookDeps, url: string): void {
  const reason = forbiddenReason(config, url)
  if (reason) throw new Fault('invalid', `Invalid request: url: ${reason}`)
}

function requireAnswerLinks({ config }: WebhookDeps, include: readonly WebhookInclude[]): void {
  if (!include.includes('answer_link') || config.public_url !== undefined) return
  throw new Fault(
    'invalid',
    'Invalid request: include: `answer_link` requires the setting "public_url", which the operator has not set.',
  )
}

const jsonList = (words: readonly string[]) => JSON.stringify([...new Set(words)])

function secretColumns({ vault }: WebhookDeps, id: string, secret: string) {
  return { sealed: vault.seal(secret, id), sealed_by: vault.keyName }
}

async function updateWithAudit(
  deps: WebhookDeps,
  caller: Caller,
  id: string,
  verb: 'updated' | 'secret_rotated',
  work: (tx: Tx, previousWebhook: Webhook) => Promise<unknown>,
): Promise<Webhook> {
  const { workspace_id: workspaceId } = await getWebhook(deps, caller, id)
  return changeWithAudit(deps, caller, { id, workspaceId }, verb, async (tx) => {
    const txDeps = { ...deps, db: { query: tx } }
    const previousWebhook = await getWebhook(txDeps, caller, id)
    await work(tx, previousWebhook)
    return { before: previousWebhook, after: await getWebhook(txDeps, caller, id) }
  })
}

/** Makes a change and its audit record in one transaction, then wakes the sender. @returns the new state. */
function changeWithAudit<After extends Webhook | null>(
  deps: WebhookDeps,
  caller: Caller,
  { id, workspaceId }: { id: string; workspaceId: string },
  verb: 'created' | 'updated' | 'deleted' | 'secret_rotated',
  work: (tx: Tx) => Promise<{ before: Webhook | null; after: After }>,
): Promise<After> {
  return deps.db.exclusively(`webhooks of ${workspaceId}`, async (tx, publish) => {
    const { before, after } = await work(tx)
    const action = `webhook.${verb}` as const
    await recordChange(deps, tx, caller, { action, targetKind: 'webhook', targetId: id, before, after })
    publish('webhook.queued', workspaceId)
    return after
  })
}
