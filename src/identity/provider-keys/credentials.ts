import type { Now } from '#platform/core/clock.ts'
import { Fault } from '#platform/core/fault.ts'
import type { NewId } from '#platform/core/id.ts'
import type { Db, Query, Tx } from '#platform/db/db.ts'
import type { Page, PageQuery } from '#platform/json/page.ts'
import { type Caller, type CallerScope, reachesWorkspace } from '../accounts/caller.ts'
import { resolveWorkspaceId } from '../accounts/workspaces.ts'
import { recordChange } from '../audit/audit.ts'
import {
  type Credential,
  type CredentialPatch,
  credentialLabel,
  mergeRules,
  type NewCredential,
  type StoredCredential,
  toCredential,
} from './credential.ts'
import type { Vault } from './vault.ts'

type CredentialDeps = { db: Db; now: Now; newId: NewId; vault: Vault }

type Providers = { findProvider: (slugOrName: string) => { slug: string } | undefined }
type CatalogueDep = { catalogue: { current: () => Providers } }

/** Lists the credentials of a workspace by provider, in the order of preference. */
export async function listCredentials(
  deps: { db: Db } & CatalogueDep,
  caller: Caller,
  { offset, limit, workspace_id, provider }: PageQuery & { workspace_id?: string; provider?: string },
): Promise<Page<Credential>> {
  const workspaceId = await resolveWorkspaceId(deps, caller, workspace_id)
  let matching = deps.db.query.selectFrom('provider_credentials').where('workspace_id', '=', workspaceId)
  if (provider !== undefined) {
    const slug = deps.catalogue.current().findProvider(provider)?.slug ?? provider
    matching = matching.where('provider', '=', slug)
  }
  const ordered = matching.selectAll().orderBy('provider').orderBy('sort_order').orderBy('id')
  const [rows, count] = await Promise.all([
    ordered.offset(offset).limit(limit).execute(),
    matching.select((row) => row.fn.countAll<number>().as('n')).executeTakeFirstOrThrow(),
  ])
  return { data: rows.map(toCredential), total_count: count.n }
}

/** @throws Fault `not_found` if it does not exist or the caller has no access to it. */
export async function getCredential(
  deps: { db: { query: Query | Tx } },
  caller: CallerScope,
  id: string,
): Promise<StoredCredential> {
  const row = await deps.db.query
    .selectFrom('provider_credentials')
    .where('organization_id', '=', caller.organizationId)
    .where('id', '=', id)
    .selectAll()
    .executeTakeFirst()
  if (row && reachesWorkspace(caller, row.workspace_id)) return toCredential(row)
  throw new Fault('not_found', 'Provider credential not found.')
}

/** Adds a credential as the last one of its provider. @throws Fault `invalid` for an unknown provider or workspace. */
export async function createCredential(
  deps: CredentialDeps & CatalogueDep,
  caller: Caller,
  newCredential: NewCredential,
): Promise<Credential> {
  const { key, provider: providerName, name = null, workspace_id, ...rules } = newCredential
  const provider = deps.catalogue.current().findProvider(providerName)?.slug
  if (provider === undefined)
    throw new Fault('invalid', 'Invalid request: provider: provider not found. GET /providers lists them all.')
  const workspaceId = await resolveWorkspaceId(deps, caller, workspace_id)
  const id = deps.newId()
  const row = {
    id,
    organization_id: caller.organizationId,
    workspace_id: workspaceId,
    provider,
    name,
    ...secretColumns(deps, id, key),
    rules: JSON.stringify(mergeRules(rules)),
    created_by: caller.userId,
    created_at: deps.now(),
    updated_at: deps.now(),
  }
  return changeWithAudit(deps, caller, { id, workspaceId }, 'created', async (tx) => {
    const { last } = await tx
      .selectFrom('provider_credentials')
      .where('workspace_id', '=', workspaceId)
      .where('provider', '=', provider)
      .select((e) => e.fn.max('sort_order').as('last'))
      .executeTakeFirstOrThrow()
    const sort_order = last === null ? 0 : Number(last) + 1
    await tx
      .insertInto('provider_credentials')
      .values({ ...row, sort_order })
      .execute()
    return { before: null, after: toCredential({ ...row, sort_order }) }
  })
}

export async function changeCredential(
  deps: CredentialDeps,
  caller: Caller,
  id: string,
  { key, name, ...rules }: CredentialPatch,
): Promise<Credential> {
  const { workspace_id: workspaceId } = await getCredential(deps, caller, id)
  return changeWithAudit(deps, caller, { id, workspaceId }, 'updated', async (tx) => {
    const previousCredential = await getCredential({ db: { query: tx } }, caller, id)
    const newRules = mergeRules(rules, previousCredential)
    if (newRules.is_fallback && newRules.is_byok_only)
      throw new Fault('invalid', 'Invalid request: is_fallback: cannot be set together with is_byok_only')
    const set = {
      rules: JSON.stringify(newRules),
      updated_at: deps.now(),
      name,
      ...(key !== undefined && secretColumns(deps, id, key)),
    }
    await tx.updateTable('provider_credentials').set(set).where('id', '=', id).execute()
    return { before: previousCredential, after: await getCredential({ db: { query: tx } }, caller, id) }
  })
}

export async function deleteCredential(deps: CredentialDeps, caller: Caller, id: string): Promise<void> {
  const { workspace_id: workspaceId } = await getCredential(deps, caller, id)
  await changeWithAudit(deps, caller, { id, workspaceId }, 'deleted', async (tx) => {
    const credential = await getCredential({ db: { query: tx } }, caller, id)
    await tx.deleteFrom('provider_credentials').where('id', '=', id).execute()
    return { before: credential, after: null }
  })
}

function secretColumns({ vault }: CredentialDeps, id: string, key: string) {
  return { sealed: vault.seal(key, id), sealed_by: vault.keyName, label: credentialLabel(key) }
}

/** Makes a change and its audit record in one transaction, then notifies every server. @returns the new state. */
function changeWithAudit<After extends Credential | null>(
  deps: CredentialDeps,
  caller: Caller,
  { id, workspaceId }: { id: string; workspaceId: string },
  verb: 'created' | 'updated' | 'deleted',
  work: (tx: Tx) => Promise<{ before: Credential | null; after: After }>,
): Promise<After> {
  return deps.db.exclusively(`credentials of ${workspaceId}`, async (tx, publish) => {
    const { before, after } = await work(tx)
    const action = `credential.${verb}` as const
    await recordChange(deps, tx, caller, { action, targetKind: 'credential', targetId: id, before, after })
    publish('credential.changed', workspaceId)
    return after
  })
}
