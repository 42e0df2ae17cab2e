import type { Selectable } from 'kysely'
import { Fault } from '#platform/core/fault.ts'
import { type Db, isUniqueViolation, type Query, type Tx } from '#platform/db/db.ts'
import { sql } from '#platform/db/kysely.ts'
import type { Tables } from '#platform/db/tables.ts'
import type { Page, PageQuery } from '#platform/json/page.ts'
import { emptyPolicy } from './decide/policy.ts'
import type { GuardrailRecord } from './guardrail.ts'

/** The workspace of a guardrail, and whether the guardrail is its default. */
export type GuardrailLocation = { workspaceId: string; isDefault: boolean }

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/**
 * Finds the workspace of a guardrail's id within an organization. The id can also be that of a workspace's default
 * guardrail, even if it was never stored.
 */
export async function findLocation(
  query: Query,
  organizationId: string,
  id: string,
): Promise<GuardrailLocation | undefined> {
  if (!uuid.test(id)) return undefined
  const row = await query
    .selectFrom('workspaces as w')
    .leftJoin('guardrails as g', (join) => join.onRef('g.workspace_id', '=', 'w.id').on('g.id', '=', id))
    .where('w.organization_id', '=', organizationId)
    .where((e) => e.or([e('w.default_guardrail_id', '=', id), e('g.id', 'is not', null)]))
    .select(['w.id', 'w.default_guardrail_id'])
    .executeTakeFirst()
  return row && { workspaceId: row.id, isDefault: row.default_guardrail_id === id }
}

export async function findGuardrail(query: Query, id: string): Promise<GuardrailRecord | undefined> {
  const row = await query.selectFrom('guardrails').selectAll().where('id', '=', id).executeTakeFirst()
  return row && toGuardrailRecord(row)
}

/** The filters of a list. `limited`: only guardrails with `limit_usd`. */
export type GuardrailFilter = { workspace_id?: string | undefined; limited?: boolean | undefined }

/** Lists the guardrails of an organization, the oldest first. */
export async function listGuardrailRows(
  { kind, query }: Pick<Db, 'kind' | 'query'>,
  organizationId: string,
  { workspace_id, limited, offset, limit }: PageQuery & GuardrailFilter,
): Promise<Page<GuardrailRecord>> {
  const policy = kind === 'sqlite' ? sql`g.policy` : sql`cast(g.policy as json)`
  let selection = query
    .selectFrom('guardrails as g')
    .innerJoin('workspaces as w', 'w.id', 'g.workspace_id')
    .where('w.organization_id', '=', organizationId)
  if (workspace_id) selection = selection.where('g.workspace_id', '=', workspace_id)
  if (limited) selection = selection.where(sql`${policy} ->> 'limit_usd'`, 'is not', null)
  const [rows, count] = await Promise.all([
    selection.selectAll('g').orderBy('g.created_at').orderBy('g.id').offset(offset).limit(limit).execute(),
    selection.select((e) => e.fn.countAll<number>().as('n')).executeTakeFirstOrThrow(),
  ])
  return { data: rows.map(toGuardrailRecord), total_count: count.n }
}

/** @throws Fault `conflict` if the workspace has a guardrail of that name. */
export async function insertGuardrail(tx: Tx, record: GuardrailRecord): Promise<void> {
  await tx.insertInto('guardrails').values(toRow(record)).execute().catch(throwNameConflict)
}

/** @throws Fault `conflict` if the workspace has another guardrail of that name. */
export async function updateGuardrail(tx: Tx, record: GuardrailRecord): Promise<void> {
  await tx.updateTable('guardrails').set(toRow(record)).where('id', '=', record.id).execute().catch(throwNameConflict)
}

export async function deleteGuardrailRow(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('guardrails').where('id', '=', id).execute()
}

function throwNameConflict(error: unknown): never {
  if (!isUniqueViolation(error)) throw error
  throw new Fault('conflict', 'Another guardrail of the workspace has this name. Nothing was changed.')
}

function toRow(record: GuardrailRecord): Selectable<Tables['guardrails']> {
  return {
    id: record.id,
    workspace_id: record.workspaceId,
    name: record.name,
    description: record.description,
    policy: JSON.stringify(record.policy),
    created_at: record.createdAt,
    updated_at: record.updatedAt,
  }
}

/** Fields that did not exist when a policy was stored are null. */
export function toGuardrailRecord(row: Selectable<Tables['guardrails']>): GuardrailRecord {
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    name: row.name,
    description: row.description,
    policy: { ...emptyPolicy, ...JSON.parse(row.policy) },
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}
