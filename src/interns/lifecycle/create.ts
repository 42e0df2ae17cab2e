import { createHash } from 'node:crypto'
import type { Caller } from '#identity/accounts/caller.ts'
import { isOwnWorkspace } from '#identity/accounts/workspaces.ts'
import { recordChange } from '#identity/audit/audit.ts'
import type { Vault } from '#identity/provider-keys/vault.ts'
import type { Now } from '#platform/core/clock.ts'
import { Fault } from '#platform/core/fault.ts'
import type { NewId } from '#platform/core/id.ts'
import { type Db, isUniqueViolation, type Tx } from '#platform/db/db.ts'
import { budgetColumn } from '../registry/budget.ts'
import { internChanged } from '../registry/events.ts'
import type { NewIntern } from '../registry/intern.ts'
import { mcpServerColumns } from '../registry/mcp-servers.ts'
import { repositoryColumns } from '../registry/repository.ts'
import { findIntern, type Intern, internRecord } from '../registry/store.ts'

type InternCreateDeps = { db: Db; now: Now; newId: NewId; vault: Vault }

/**
 * Makes an intern. With an idempotency key a replay gives the same intern, and the same key with another body is a
 * conflict.
 */
export async function createIntern(
  deps: InternCreateDeps,
  caller: Caller,
  wanted: NewIntern,
  idempotencyKey?: string,
): Promise<{ intern: Intern; replayed: boolean }> {
  if (!(await isOwnWorkspace(deps, caller, wanted.workspace_id))) {
    throw new Fault('not_found', 'There is no such workspace for this key.')
  }
  const bodyHash = createHash('sha256')
    .update(JSON.stringify(withoutSecrets(deps, wanted)))
    .digest('hex')
  return deps.db.exclusively(`interns of ${caller.workspaceId}/${caller.userId}`, async (tx, announce) => {
    const replayed = idempotencyKey && (await creationUnder(tx, caller, idempotencyKey, bodyHash))
    if (replayed) return { intern: await findIntern({ db: { query: tx } }, caller, replayed), replayed: true }
    const id = await insertIntern(deps, tx, caller, wanted)
    if (idempotencyKey) await saveCreation(deps, tx, caller, { idempotencyKey, bodyHash, id })
    const intern = await findIntern({ db: { query: tx } }, caller, id)
    await recordChange(deps, tx, caller, {
      action: 'intern.created',
      targetKind: 'intern',
      targetId: id,
      before: null,
      after: internRecord(intern),
    })
    announce('intern.changed', id, internChanged(intern, deps.now()))
    return { intern, replayed: false }
  })
}

/** A secret that somebody thought of could be found by its plain hash. */
function withoutSecrets({ vault }: InternCreateDeps, { mcp_servers, ...wanted }: NewIntern): object {
  const servers = mcp_servers && { mcp_servers: vault.digest(JSON.stringify(mcp_servers), 'idempotency') }
  const { repository } = wanted
  if (!repository?.credential) return { ...wanted, ...servers }
  const password = vault.digest(repository.credential.password, 'idempotency')
  return { ...wanted, ...servers, repository: { ...repository, credential: { ...repository.credential, password } } }
}

async function insertIntern(deps: InternCreateDeps, tx: Tx, caller: Caller, wanted: NewIntern): Promise<string> {
  const id = deps.newId()
  const at = deps.now()
  const values = {
    id,
    organization_id: caller.organizationId,
    workspace_id: caller.workspaceId,
    creator_user_id: caller.userId,
    name: wanted.name,
    description: wanted.description ?? null,
    instructions: wanted.instructions ?? null,
    model: wanted.model ?? null,
    agent: wanted.agent == null ? null : JSON.stringify(wanted.agent),
    approval_mode: wanted.approval_mode ?? 'self-drive',
    visibility: wanted.visibility ?? 'creator',
    status: wanted.provision ? 'queued' : 'stopped',
    last_failure_message: null,
    progress: null,
    hostname: null,
    home: null,
    tcp_access: null,
    host_labels: wanted.host_labels?.length ? JSON.stringify(wanted.host_labels) : null,
    moved_at: null,
    key_hash: null,
    supervisor: null,
    supervised_until: 0,
    ...repositoryColumns(deps.vault, id, wanted.repository),
    ...mcpServerColumns(deps.vault, id, wanted.mcp_servers),
    budget: budgetColumn(wanted.budget ?? null),
    web_hosts: wanted.web_hosts?.length ? JSON.stringify(wanted.web_hosts) : null,
    created_at: at,
    updated_at: at,
  }
  try {
    await tx.insertInto('interns').values(values).execute()
  } catch (error) {
    throw isUniqueViolation(error) ? nameTaken(wanted.name) : error
  }
  return id
}

/** A name must say which intern is meant to each who sees several. */
export function nameTaken(name: string): Fault {
  return new Fault(
    'conflict',
    `An intern of yours in this workspace, or one that all of it see, has the name ${JSON.stringify(name)} already.`,
  )
}

async function creationUnder(tx: Tx, caller: Caller, key: string, bodyHash: string): Promise<string | undefined> {
  const earlier = await tx
    .selectFrom('intern_creations')
    .where('workspace_id', '=', caller.workspaceId)
    .where('user_id', '=', caller.userId)
    .where('idempotency_key', '=', key)
    .select(['body_hash', 'intern_id'])
    .executeTakeFirst()
  if (!earlier) return undefined
  if (earlier.body_hash === bodyHash) return earlier.intern_id
  throw new Fault('conflict', 'This Idempotency-Key was used with another body.')
}

type Creation = { idempotencyKey: string; bodyHash: string; id: string }

async function saveCreation(
  { now }: InternCreateDeps,
  tx: Tx,
  caller: Caller,
  { idempotencyKey, bodyHash, id }: Creation,
): Promise<void> {
  await tx
    .insertInto('intern_creations')
    .values({
      workspace_id: caller.workspaceId,
      user_id: caller.userId,
      idempotency_key: idempotencyKey,
      body_hash: bodyHash,
      intern_id: id,
      created_at: now(),
    })
    .execute()
}
