import { isDeepStrictEqual } from 'node:util'
import type { Now } from '#platform/core/clock.ts'
import { Fault } from '#platform/core/fault.ts'
import type { NewId } from '#platform/core/id.ts'
import { type Db, isForeignKeyViolation, isUniqueViolation, type Query, type Tx } from '#platform/db/db.ts'
import type { Page, PageQuery } from '#platform/json/page.ts'
import { recordChange } from '../audit/audit.ts'
import { accountsLock } from './accounts-lock.ts'
import { type Caller, type CallerScope, reachesWorkspace } from './caller.ts'
import { ioLoggingColumns } from './io-logging.ts'
import { countEnabledKeys } from './keys/key-rows.ts'
import { deleteKeysOfWorkspace } from './keys/keys-of-workspace.ts'
import { type NewWorkspace, toWorkspaceRecord, type WorkspacePatch, type WorkspaceRecord } from './workspace.ts'

type WorkspacesDeps = { db: Db; now: Now; newId: NewId }

/** Lists the workspaces of the organization, oldest first. Callers of one workspace get those of their member. */
export async function listWorkspaces(
  deps: { db: Db },
  caller: CallerScope & Pick<Caller, 'userId'>,
  { offset, limit }: PageQuery,
): Promise<Page<WorkspaceRecord>> {
  const { organizationId, userId, isWorkspaceScoped } = caller
  const memberWorkspaceIds = deps.db.query
    .selectFrom('workspace_members')
    .where('user_id', '=', userId)
    .select('workspace_id')
  const visibleWorkspaces = deps.db.query
    .selectFrom('workspaces')
    .where('organization_id', '=', organizationId)
    .$if(isWorkspaceScoped, (workspaces) => workspaces.where('id', 'in', memberWorkspaceIds))
  const [rows, count] = await Promise.all([
    visibleWorkspaces.selectAll().orderBy('created_at').orderBy('id').offset(offset).limit(limit).execute(),
    visibleWorkspaces.select((workspace) => workspace.fn.countAll<number>().as('n')).executeTakeFirstOrThrow(),
  ])
  return { data: rows.map(toWorkspaceRecord), total_count: count.n }
}

/** Finds a workspace that the caller has access to. @param name its ID or slug. */
export async function findWorkspace(
  deps: { db: { query: Query } },
  caller: CallerScope,
  name: string,
): Promise<WorkspaceRecord | undefined> {
  const row = await deps.db.query
    .selectFrom('workspaces')
    .where('organization_id', '=', caller.organizationId)
    .where((workspace) => workspace.or([workspace('id', '=', name), workspace('slug', '=', name)]))
    // A slug may look like the id of another workspace; the id wins.
    .orderBy((workspace) => workspace.case().when('id', '=', name).then(0).else(1).end())
    .selectAll()
    .executeTakeFirst()
  return row && reachesWorkspace(caller, row.id) ? toWorkspaceRecord(row) : undefined
}

/** @throws Fault `not_found` if it does not exist or the caller has no access to it. */
export async function getWorkspace(
  deps: { db: { query: Query } },
  caller: CallerScope,
  name: string,
): Promise<WorkspaceRecord> {
  const workspace = await findWorkspace(deps, caller, name)
  if (!workspace) throw new Fault('not_found', 'Workspace not found.')
  return workspace
}

/**
 * Returns the ID of the workspace that a request names by ID or slug. Defaults to the caller's workspace.
 * @throws Fault `invalid` if it does not exist; `forbidden` if the caller has access only to its own workspace.
 */
export async function resolveWorkspaceId(
  deps: { db: { query: Query } },
  caller: CallerScope,
  name: string | undefined,
): Promise<string> {
  if (name === undefined || name === caller.workspaceId) return caller.workspaceId
  const workspace = await findWorkspace(deps, caller, name)
  if (workspace) return workspace.id
  if (caller.isWorkspaceScoped)
    throw new Fault(
      'forbidden',
      'workspace_id names another workspace than this request is allowed to use. A key has one workspace; in a browser session, name one of yours in the header X-Workspace.',
    )
  throw new Fault('invalid', 'Invalid request: workspace_id: workspace not found')
}

/** Whether a request names the caller's own workspace, or none. */
export async function isOwnWorkspace(
  deps: { db: { query: Query } },
  caller: CallerScope,
  name: string | undefined,
): Promise<boolean> {
  if (name === undefined || name === caller.workspaceId) return true
  return (await findWorkspace(deps, caller, name))?.id === caller.workspaceId
}

/** @throws Fault `conflict` if the slug is taken. */
export async function createWorkspace(
  deps: WorkspacesDeps,
  caller: Caller,
  newWorkspace: NewWorkspace,
): Promise<WorkspaceRecord> {
  const { organizationId, userId } = caller
  return deps.db.exclusively(accountsLock(organizationId), async (tx) => {
    const workspace = await rejectTakenSlug(
      newWorkspace.slug,
      insertWorkspace(deps, tx, { organizationId, userId }, newWorkspace),
    )
    await recordChange(deps, tx, caller, {
      action: 'workspace.created',
      targetKind: 'workspace',
      targetId: workspace.id,
      before: null,
      after: workspace,
    })
    return workspace
  })
}

/** Stores a workspace, with the id of its default guardrail. */
export async function insertWorkspace(
  deps: { now: Now; newId: NewId },
  tx: Tx,
  owner: { organizationId: string; userId: string },
  values: NewWorkspace,
): Promise<WorkspaceRecord> {
  const at = deps.now()
  const row = {
    id: deps.newId(),
    organization_id: owner.organizationId,
    name: values.name,
    slug: values.slug,
    description: values.description ?? null,
    default_guardrail_id: deps.newId(),
    created_by: owner.userId,
    io_logging: 0,
    io_logging_rate: 1,
    io_logging_keys: null,
    contents_since: 0,
    ...ioLoggingColumns(values),
    created_at: at,
    updated_at: at,
  }
  await tx.insertInto('workspaces').values(row).execute()
  return toWorkspaceRecord(row)
}

/** @throws Fault `conflict` if the slug is taken. */
export async function changeWorkspace(
  deps: WorkspacesDeps,
  caller: Caller,
  name: string,
  patch: WorkspacePatch,
): Promise<WorkspaceRecord> {
  return deps.db.exclusively(accountsLock(caller.organizationId), async (tx, publish) => {
    const previousWorkspace = await getWorkspace({ db: { query: tx } }, caller, name)
    const fields = Object.keys(patch) as (keyof WorkspacePatch)[]
    const isChanged = (field: keyof WorkspacePatch) =>
      patch[field] !== undefined && !isDeepStrictEqual(patch[field], previousWorkspace[field])
    if (!fields.some(isChanged)) return previousWorkspace
    const update = tx
      .updateTable('workspaces')
      .set({
        name: patch.name,
        slug: patch.slug,
        description: patch.description,
        ...ioLoggingColumns(patch),
        updated_at: deps.now(),
      })
      .where('id', '=', previousWorkspace.id)
      .execute()
    await rejectTakenSlug(patch.slug ?? previousWorkspace.slug, update)
    const updatedWorkspace = await getWorkspace({ db: { query: tx } }, caller, previousWorkspace.id)
    await recordChange(deps, tx, caller, {
      action: 'workspace.updated',
      targetKind: 'workspace',
      targetId: previousWorkspace.id,
      before: previousWorkspace,
      after: updatedWorkspace,
    })
    // Cached keys contain the share of requests whose contents are stored.
    if (Object.keys(ioLoggingColumns(patch)).length > 0) publish('organization.changed', caller.organizationId)
    return updatedWorkspace
  })
}

/**
 * Deletes a workspace with its guardrails, budgets, presets and disabled keys.
 * @throws Fault `conflict` while it has enabled keys or interns, which must be ended explicitly first.
 */
export async function deleteWorkspace(deps: WorkspacesDeps, caller: Caller, name: string): Promise<void> {
  await deps.db.exclusively(accountsLock(caller.organizationId), async (tx, publish) => {
    const workspace = await getWorkspace({ db: { query: tx } }, caller, name)
    await requireNoEnabledKeys(tx, workspace.id)
    await deleteKeysOfWorkspace(deps, tx, publish, caller, workspace.id).catch(rejectReferenced)
    await tx.deleteFrom('workspaces').where('id', '=', workspace.id).execute().catch(rejectReferenced)
    await recordChange(deps, tx, caller, {
      action: 'workspace.deleted',
      targetKind: 'workspace',
      targetId: workspace.id,
      before: workspace,
      after: null,
    })
    publish('organization.changed', caller.organizationId)
  })
}

async function requireNoEnabledKeys(tx: Tx, workspaceId: string): Promise<void> {
  const keys = await countEnabledKeys(tx, workspaceId)
  if (keys === 0) return
  throw new Fault(
    'conflict',
    `The workspace still has ${keys} enabled key${keys === 1 ? '' : 's'}. Disable or delete them first.`,
  )
}

function rejectReferenced(error: unknown): never {
  if (!isForeignKeyViolation(error)) throw error
  throw new Fault('conflict', 'The workspace is still in use. Delete its interns first.')
}

async function rejectTakenSlug<T>(slug: string, write: Promise<T>): Promise<T> {
  try {
    return await write
  } catch (error) {
    if (!isUniqueViolation(error)) throw error
    throw new Fault('conflict', `The organization has a workspace with the slug "${slug}" already.`)
  }
}
