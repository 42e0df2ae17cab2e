import { createHash } from 'node:crypto'
import type { Caller } from '#identity/accounts/caller.ts'
import { isOwnWorkspace } from '#identity/accounts/workspaces.ts'
import { recordChange } from '#identity/audit/audit.ts'
import type { Vault } from '#identity/provider-keys/vault.ts'
import type { Now } from '#platform/core/clock.ts'
import { Fault } from '#platform/core/fault.ts'
import type { NewId } from '#platform/core/id.ts'
import { type Db, isUniqueViolation, type Tx } from '#platform/db/db.ts'
import type { NewIntern } from '../registry/intern.ts'
import { toBudgetColumn } from '../registry/intern-budget.ts'
import { internChangedEvent } from '../registry/intern-events.ts'
import { findIntern, type Intern, toHostlessResponse } from '../registry/intern-store.ts'
import { toMcpServerColumns } from '../registry/mcp-servers.ts'
import { toRepositoryColumns } from '../registry/repository.ts'

type InternCreateDeps = { db: Db; now: Now; newId: NewId; vault: Vault }

/**
 * Creates an intern. With an idempotency key, a repeated request returns the same intern, and another body is a conflict.
 */
export async function createIntern(
  deps: InternCreateDeps,
  caller: Caller,
  body: NewIntern,
  idempotencyKey?: string,
): Promise<{ intern: Intern; replayed: boolean }> {
  if (!(await isOwnWorkspace(deps, caller, body.workspace_id))) {
    throw new Fault('not_found', 'Workspace not found for this key.')
  }
  const bodyHash = createHash('sha256')
    .update(JSON.stringify(withoutSecrets(deps, body)))
    .digest('hex')
  return deps.db.exclusively(`interns of ${caller.workspaceId}/${caller.userId}`, async (tx, publish) => {
    const createdId = idempotencyKey ? await findCreation(tx, caller, idempotencyKey, bodyHash) : undefined
    if (createdId) return { intern: await findIntern({ db: { query: tx } }, caller, createdId), replayed: true }
    const id = await insertIntern(deps, tx, caller, body)
    if (idempotencyKey) await saveCreation(deps, tx, caller, { idempotencyKey, bodyHash, id })
    const intern = await findIntern({ db: { query: tx } }, caller, id)
    await recordChange(deps, tx, caller, {
      action: 'intern.created',
      targetKind: 'intern',
      targetId: id,
      before: null,
      after: toHostlessResponse(intern),
    })
    publish('intern.changed', id, internChangedEvent(intern, deps.now()))
    return { intern, replayed: false }
  })
}

/** The body with digests of its secrets: a plain hash would allow guessing them. */
function withoutSecrets({ vault }: InternCreateDeps, { mcp_servers, ...body }: NewIntern): object {
  const servers = mcp_servers && { mcp_servers: vault.digest(JSON.stringify(mcp_servers), 'idempotency') }
  const { repository } = body
  if (!repository?.credential) return { ...body, ...servers }
  const password = vault.digest(repository.credential.password, 'idempotency')
  return { ...body, ...servers, repository: { ...repository, credential: { ...repository.credential, password } } }
}

async function insertIntern(deps: InternCreateDeps, tx: Tx, caller: Caller, body: NewIntern): Promise<string> {
  const id = deps.newId()
  const at = deps.now()
  const values = {
    id,
    organization_id: caller.organizationId,
    workspace_id: caller.workspaceId,
    creator_user_id: caller.userId,
    name: body.name,
    description: body.description ?? null,
    instructions: body.instructions ?? null,
    model: body.model ?? null,
    agent: body.agent == null ? null : JSON.stringify(body.agent),
    approval_mode: body.approval_mode ?? 'self-drive',
    visibility: body.visibility ?? 'creator',
    status: body.provision ? 'queued' : 'stopped',
    last_failure_message: null,
    progress: null,
    hostname: null,
    home: null,
    tcp_access: null,
    host_labels: body.host_labels?.length ? JSON.stringify(body.host_labels) : null,
    moved_at: null,
    key_hash: null,
    supervisor: null,
    supervised_until: 0,
    ...toRepositoryColumns(deps.vault, id, body.repository),
    ...toMcpServerColumns(deps.vault, id, body.mcp_servers),
    budget: toBudgetColumn(body.budget ?? null),
    web_hosts: body.web_hosts?.length ? JSON.stringify(body.web_hosts) : null,
    created_at: at,
    updated_at: at,
  }
  try {
    await tx.insertInto('interns').values(values).execute()
  } catch (error) {
    throw isUniqueViolation(error) ? nameConflict(body.name) : error
  }
  return id
}

/** Names are unique among the interns that a member sees. */
export function nameConflict(name: string): Fault {
  return new Fault(
    'conflict',
    `The name ${JSON.stringify(name)} is already used by an intern of yours or a shared intern in this workspace.`,
  )
}

/** The id of the intern that a request with this key created. @throws Fault `conflict` if that request had another body. */
async function findCreation(tx: Tx, caller: Caller, key: string, bodyHash: string): Promise<string | undefined> {
  const creation = await tx
    .selectFrom('intern_creations')
    .where('workspace_id', '=', caller.workspaceId)
    .where('user_id', '=', caller.userId)
    .where('idempotency_key', '=', key)
    .select(['body_hash', 'intern_id'])
    .executeTakeFirst()
  if (!creation) return undefined
  if (creation.body_hash === bodyHash) return creation.intern_id
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
