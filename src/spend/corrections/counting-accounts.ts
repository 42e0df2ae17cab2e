import type { Tx } from '#platform/db/db.ts'
import { accountId } from '../budgets/account-id.ts'
import type { Spender } from '../budgets/budget.ts'
import { findBudgetsOfOrganizations } from '../budgets/pooled/pooled-budget-rows.ts'
import { type Day, dayOf } from '../ledger/days.ts'
import type { RequestTag } from '../ledger/generation.ts'
import { type Grouping, groupValues } from '../ledger/request-group.ts'
import type { ChargedRow } from './charged-row.ts'

/** A guardrail, as far as its accounts depend on it. */
type Guardrail = {
  id: string
  createdDay: Day
  includesByok: boolean
  groupings: Grouping[]
}

type Assignment = { guardrailId: string; workspaceId: string; spender: Spender; createdAt: number }
type PooledBudget = {
  account: string
  organizationId: string
  workspaceId: string | null
  createdDay: Day
  includesByok: boolean
}

/** The current limits, and the tags of requests, from which the accounts of the requests follow. */
type Limits = {
  keys: ReadonlyMap<string, { includesByok: boolean }>
  guardrails: ReadonlyMap<string, Guardrail>
  /** The id of each workspace's default guardrail. */
  defaultIds: ReadonlyMap<string, string>
  assignments: readonly Assignment[]
  pools: readonly PooledBudget[]
  tags: ReadonlyMap<string, RequestTag[]>
}

/**
 * Finds the accounts that count charges, by the ids of the requests: those that were charged, and those of limits that were set
 * later, which started with the sum of the ledger. Skips limits that were created again on a later day, or that no longer count
 * BYOK keys, because their accounts can have started without the request.
 */
export async function findCountingAccounts(tx: Tx, rows: readonly ChargedRow[]): Promise<Map<string, string[]>> {
  // Without this field, attempts used several credentials, or an earlier version stored the request. Then the amount that each
  // account counts is unknown.
  const countedRows = rows.filter(({ facts }) => facts.charged_budgets !== undefined)
  if (countedRows.length === 0) return new Map()
  const limits = await readLimits(tx, countedRows)
  return new Map(countedRows.map((row) => [row.id, accountsOf(limits, row)]))
}

function accountsOf(limits: Limits, row: ChargedRow): string[] {
  const charged = (row.facts.charged_budgets ?? []).filter((account) => isStillCounted(limits, account, row))
  return [...new Set([...charged, ...currentAccountsOf(limits, row)])]
}

/** Whether an account that was charged still has the charge. */
function isStillCounted(limits: Limits, account: string, row: ChargedRow): boolean {
  const [kind, id = ''] = account.split(':')
  if (kind === 'key') return countsRow(limits.keys.get(id), row)
  if (kind === 'guardrail') return countsRow(limits.guardrails.get(id), row)
  if (kind === 'workspace' || kind === 'organization')
    return countsRow(
      limits.pools.find((pool) => pool.account === account),
      row,
    )
  // The account of a turn or session is never created again.
  return true
}

function countsRow(limit: { createdDay?: Day; includesByok: boolean } | undefined, row: ChargedRow): boolean {
  if (!limit || (limit.createdDay ?? 0) > dayOf(row.created_at)) return false
  return limit.includesByok || row.facts.is_byok !== true
}

/** The accounts of the current limits of a request's key, member, workspace and groups. */
function currentAccountsOf(limits: Limits, row: ChargedRow): string[] {
  const key: Spender = { kind: 'key', hash: row.key_hash }
  const member: Spender = { kind: 'member', userId: row.user_id }
  const ofKey = countsRow(limits.keys.get(row.key_hash), row) ? [accountId.key(row.key_hash)] : []
  const ofPools = limits.pools.filter(
    (pool) =>
      pool.organizationId === row.organization_id &&
      (pool.workspaceId === null || pool.workspaceId === row.workspace_id) &&
      countsRow(pool, row),
  )
  const accounts = [...ofKey, ...ofPools.map(({ account }) => account)]
  const defaultGuardrail = limits.guardrails.get(limits.defaultIds.get(row.workspace_id) ?? '')
  if (defaultGuardrail && countsRow(defaultGuardrail, row)) {
    accounts.push(...[member, key].map((spender) => accountId.guardrail(defaultGuardrail.id, spender)))
    accounts.push(...groupAccountsOf(limits, defaultGuardrail, row))
  }
  for (const { guardrailId, workspaceId, spender, createdAt } of limits.assignments) {
    const guardrail = limits.guardrails.get(guardrailId)
    const isOfRow = workspaceId === row.workspace_id && isSpenderOf(spender, row)
    if (!isOfRow || !guardrail || !countsRow(guardrail, row)) continue
    accounts.push(accountId.guardrail(guardrailId, spender))
    // The account of a session or tag value can be older than the assignment: then it lacks earlier requests.
    if (createdAt <= row.created_at) accounts.push(...groupAccountsOf(limits, guardrail, row))
  }
  return accounts
}

const isSpenderOf = (spender: Spender, row: ChargedRow) =>
  spender.kind === 'key' ? spender.hash === row.key_hash : spender.userId === row.user_id

function groupAccountsOf({ tags }: Limits, { id, groupings }: Guardrail, row: ChargedRow): string[] {
  const groups = { sessionId: row.session_id ?? undefined, tags: tags.get(row.id) }
  return groupings.flatMap((grouping) =>
    groupValues(grouping, groups).map((value) => accountId.group(id, grouping, value)),
  )
}

async function readLimits(tx: Tx, rows: readonly ChargedRow[]): Promise<Limits> {
  const workspaceIds = [...new Set(rows.map((row) => row.workspace_id))]
  const keyHashes = [...new Set(rows.map((row) => row.key_hash))]
  const userIds = [...new Set(rows.map((row) => row.user_id))]
  const workspaces = await tx
    .selectFrom('workspaces')
    .where('id', 'in', workspaceIds)
    .select(['id', 'default_guardrail_id'])
    .execute()
  const defaultIds = new Map(workspaces.map((row) => [row.id, row.default_guardrail_id]))
  const assignments = await readAssignments(tx, workspaceIds, { key: keyHashes, member: userIds })
  const guardrailIds = new Set([
    ...defaultIds.values(),
    ...assignments.map(({ guardrailId }) => guardrailId),
    ...rows.flatMap(({ facts }) => (facts.charged_budgets ?? []).flatMap(guardrailIdOf)),
  ])
  return {
    keys: await readKeys(tx, keyHashes),
    guardrails: await readGuardrails(tx, [...guardrailIds]),
    defaultIds,
    assignments,
    pools: await readPools(tx, [...new Set(rows.map((row) => row.organization_id))]),
    tags: await readTags(
      tx,
      rows.map(({ id }) => id),
    ),
  }
}

function guardrailIdOf(account: string): string[] {
  const [kind, id = ''] = account.split(':')
  return kind === 'guardrail' ? [id] : []
}

async function readKeys(tx: Tx, hashes: readonly string[]): Promise<Limits['keys']> {
  const rows = await tx
    .selectFrom('api_keys')
    .where('hash', 'in', hashes)
    .select(['hash', 'include_byok_in_limit'])
    .execute()
  return new Map(rows.map((row) => [row.hash, { includesByok: row.include_byok_in_limit === 1 }]))
}

async function readAssignments(
  tx: Tx,
  workspaceIds: readonly string[],
  targets: { key: readonly string[]; member: readonly string[] },
): Promise<Assignment[]> {
  const rows = await tx
    .selectFrom('guardrail_assignments')
    .where('workspace_id', 'in', workspaceIds)
    .where('target_id', 'in', [...targets.key, ...targets.member])
    .selectAll()
    .execute()
  return rows.map((row) => ({
    guardrailId: row.guardrail_id,
    workspaceId: row.workspace_id,
    spender:
      row.target_kind === 'key' ? { kind: 'key', hash: row.target_id } : { kind: 'member', userId: row.target_id },
    createdAt: row.created_at,
  }))
}

type StoredPolicy = {
  include_byok_in_budgets?: boolean
  group_limits?: { by: string; tag_name?: string | null }[] | null
}

async function readGuardrails(tx: Tx, ids: readonly string[]): Promise<Limits['guardrails']> {
  if (ids.length === 0) return new Map()
  const rows = await tx.selectFrom('guardrails').where('id', 'in', ids).select(['id', 'policy', 'created_at']).execute()
  return new Map(
    rows.map(({ id, created_at, ...row }) => {
      const policy = JSON.parse(row.policy) as StoredPolicy
      const groupings = (policy.group_limits ?? []).map(
        ({ by, tag_name }): Grouping => (by === 'tag' ? { by, name: tag_name ?? '' } : { by: 'session' }),
      )
      const includesByok = policy.include_byok_in_budgets === true
      return [id, { id, createdDay: dayOf(created_at), includesByok, groupings }]
    }),
  )
}

async function readPools(tx: Tx, organizationIds: readonly string[]): Promise<PooledBudget[]> {
  const rows = await findBudgetsOfOrganizations(tx, organizationIds)
  return rows.map((row) => ({
    account: row.account,
    organizationId: row.organization_id,
    workspaceId: row.workspace_id,
    createdDay: dayOf(row.created_at),
    includesByok: row.include_byok === 1,
  }))
}

async function readTags(tx: Tx, ids: readonly string[]): Promise<Limits['tags']> {
  const rows = await tx
    .selectFrom('request_tags')
    .where('generation_id', 'in', ids)
    .select(['generation_id', 'name', 'value'])
    .execute()
  const byRequest = Map.groupBy(rows, (row) => row.generation_id)
  return new Map([...byRequest].map(([id, tags]) => [id, tags.map(({ name, value }): RequestTag => [name, value])]))
}
