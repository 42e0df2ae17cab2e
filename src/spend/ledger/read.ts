import type { CallerScope } from '#identity/accounts/caller.ts'
import { Fault } from '#platform/core/fault.ts'
import { type PicoUsd, toUsd } from '#platform/core/pico-usd.ts'
import type { Db } from '#platform/db/db.ts'
import { sql } from '#platform/db/kysely.ts'
import { dayText } from './days.ts'
import { type Visibility, visibilityOf } from './list/visibility.ts'
import { type GenerationRecord, recordColumns, toGenerationRecord } from './record.ts'
import { exactSum } from './sums/exact.ts'
import { readSum } from './sums/read-sum.ts'

/** Reads the record of one request, by its id or the upstream's id. If several have that id, returns the latest. */
export async function findGeneration(deps: { db: Db }, caller: Visibility, id: string): Promise<GenerationRecord> {
  const [owner, ownerId] = visibilityOf(caller)
  const find = (column: 'id' | 'upstream_id') =>
    deps.db.query
      .selectFrom('generations')
      .select(recordColumns)
      .where(column, '=', id)
      .where(owner, '=', ownerId)
      .orderBy('created_at', 'desc')
      .limit(1)
      .executeTakeFirst()
  const row = (await find('id')) ?? (await find('upstream_id'))
  if (row) return toGenerationRecord(row)
  throw new Fault(
    'not_found',
    'Generation not found. It may not be written yet, which takes up to a second, or it was deleted because of its age.',
  )
}

/** The maximum number of ids in one statement. */
const idsPerQuery = 500

/** The stored requests with these ids and their owners, in any order. */
export async function readGenerations(
  { db }: { db: Pick<Db, 'reports'> },
  ids: readonly string[],
): Promise<{ organizationId: string; record: GenerationRecord }[]> {
  const requests: { organizationId: string; record: GenerationRecord }[] = []
  for (let from = 0; from < ids.length; from += idsPerQuery) {
    const rows = await db.reports
      .selectFrom('generations')
      .where('id', 'in', ids.slice(from, from + idsPerQuery))
      .select([...recordColumns, 'organization_id'])
      .execute()
    for (const { organization_id: organizationId, ...row } of rows)
      requests.push({ organizationId, record: toGenerationRecord(row) })
  }
  return requests
}

export type ActivityFilter = {
  organizationId: string
  fromDay: number
  toDay: number
  keyHash?: string
  userId?: string
  workspaceId?: string
  /** The dimensions of the sums in addition to the day. */
  by: ReadonlySet<ActivityDimension>
}

export type ActivityDimension = 'model' | 'workspace' | 'member' | 'key'

/** The grouping columns. A key always has the same member. */
const dimensionColumns = {
  model: ['model', 'endpoint'],
  workspace: ['workspace_id'],
  member: ['user_id'],
  key: ['key_hash', 'user_id'],
} as const satisfies Record<ActivityDimension, readonly string[]>

/** The usage of one day for one group. */
export type Activity = {
  date: string
  model: string | undefined
  endpoint: string | undefined
  workspaceId: string | undefined
  keyHash: string | undefined
  userId: string | undefined
  requests: number
  promptTokens: number
  completionTokens: number
  reasoningTokens: number
  costUsd: number
  byokUsd: number
  /** Charged to limits in addition, with any credential. */
  unconfirmedUsd: number
}

/** The usage by day, latest first. Reads sums, never single requests. */
export async function listActivity(deps: { db: Pick<Db, 'reports'> }, filter: ActivityFilter): Promise<Activity[]> {
  const { by, keyHash, userId } = filter
  // The sums by workspace are fewer, and sufficient unless keys or members matter. The cast is for the compiler: the columns
  // that such a query uses are the same in both tables.
  const needsKeySums = keyHash !== undefined || userId !== undefined || by.has('key') || by.has('member')
  let matching = deps.db.reports
    .selectFrom(needsKeySums ? 'usage_days' : ('workspace_days' as 'usage_days'))
    .where('organization_id', '=', filter.organizationId)
    .where('day', '>=', filter.fromDay)
    .where('day', '<=', filter.toDay)
  if (keyHash) matching = matching.where('key_hash', '=', keyHash)
  if (userId) matching = matching.where('user_id', '=', userId)
  if (filter.workspaceId) matching = matching.where('workspace_id', '=', filter.workspaceId)
  const dimensions = (['model', 'workspace', 'member', 'key'] as const).filter((dimension) => by.has(dimension))
  const columns = [...new Set(dimensions.flatMap((dimension) => dimensionColumns[dimension]))]
  const rows = await matching
    .select(['day', ...columns])
    .select((e) => e.fn.sum<number>('requests').as('requests'))
    .select([sumColumn('prompt_tokens'), sumColumn('completion_tokens'), sumColumn('reasoning_tokens')])
    .select([spentColumn(0).as('cost'), spentColumn(1).as('byok'), exactSum(sql.ref('margin_pico')).as('margin')])
    // Requests without an answer are not counted, but can have a cost.
    .where((e) => e.or([e('requests', '>', 0), e('cost_pico', '<>', 0n), e('margin_pico', '<>', 0n)]))
    .groupBy(['day', ...columns])
    .orderBy('day', 'desc')
    .$call((query) => columns.reduce((ordered, column) => ordered.orderBy(column), query))
    .execute()
  return rows.map((row) => ({
    date: dayText(row.day),
    model: row.model,
    endpoint: row.endpoint,
    workspaceId: row.workspace_id,
    keyHash: row.key_hash,
    userId: row.user_id,
    requests: row.requests,
    promptTokens: Number(readSum(row.prompt_tokens)),
    completionTokens: Number(readSum(row.completion_tokens)),
    reasoningTokens: Number(readSum(row.reasoning_tokens)),
    costUsd: toUsd(readSum(row.cost)),
    byokUsd: toUsd(readSum(row.byok)),
    unconfirmedUsd: toUsd(readSum(row.margin)),
  }))
}

/** The spend of the caller's organization, or of its workspace, on credentials of this service. */
export async function readTotalSpent(deps: { db: Pick<Db, 'reports'> }, caller: CallerScope): Promise<PicoUsd> {
  const row = await deps.db.reports
    .selectFrom('workspace_days')
    .where('organization_id', '=', caller.organizationId)
    .$if(caller.isWorkspaceScoped, (days) => days.where('workspace_id', '=', caller.workspaceId))
    .select(spentColumn(0).as('cost'))
    .executeTakeFirstOrThrow()
  return readSum(row.cost)
}

const sumColumn = <Name extends string>(column: Name) => exactSum(sql.ref(column)).as(column)

function spentColumn(byok: 0 | 1, column: 'cost_pico' | 'margin_pico' = 'cost_pico') {
  return exactSum(sql`case when byok = ${sql.lit(byok)} then ${sql.ref(column)} else 0 end`)
}

/** Spent amounts, and the margins that limits count in addition: with the operator's credentials, and with BYOK keys. */
export type Spending = { operator: PicoUsd; byok: PicoUsd; margin: PicoUsd; byokMargin: PicoUsd }

const spendingColumns = [
  spentColumn(0).as('operator'),
  spentColumn(1).as('byok'),
  spentColumn(0, 'margin_pico').as('margin'),
  spentColumn(1, 'margin_pico').as('byokMargin'),
] as const

/** Reads the results of `exactSum`. */
export function readSpending(row: Record<keyof Spending, string>): Spending {
  return {
    operator: readSum(row.operator),
    byok: readSum(row.byok),
    margin: readSum(row.margin),
    byokMargin: readSum(row.byokMargin),
  }
}

/** The part of the spending that a limit counts. */
export function chargedOf({ operator, byok, margin, byokMargin }: Spending, includesByok: boolean): PicoUsd {
  return operator + margin + (includesByok ? byok + byokMargin : 0n)
}

/** The part of the charged amount that no provider has confirmed. */
export function unconfirmedOf({ margin, byokMargin }: Spending, includesByok: boolean): PicoUsd {
  return margin + (includesByok ? byokMargin : 0n)
}

export const noSpending: Spending = { operator: 0n, byok: 0n, margin: 0n, byokMargin: 0n }

/** The spending of keys since a day, by hash. Keys without spending are missing. */
export async function readSpendingOfKeys(
  deps: { db: Db },
  hashes: string[],
  sinceDay: number,
): Promise<Map<string, Spending>> {
  if (hashes.length === 0) return new Map()
  const rows = await deps.db.query
    .selectFrom('usage_days')
    .where('key_hash', 'in', hashes)
    .where('day', '>=', sinceDay)
    .select(['key_hash', ...spendingColumns])
    .groupBy('key_hash')
    .execute()
  return new Map(rows.map((row) => [row.key_hash, readSpending(row)]))
}

/** An organization, a workspace, or some keys and members in it. */
export type Spenders = { organizationId?: string; workspaceId?: string; keyHashes?: string[]; userIds?: string[] }

export async function readSpendingOf(
  deps: { db: Pick<Db, 'query'> },
  spenders: Spenders,
  sinceDay: number,
): Promise<Spending> {
  const { organizationId, workspaceId, keyHashes, userIds } = spenders
  const usesWorkspaceSums = !keyHashes && !userIds
  let matching = deps.db.query
    .selectFrom(usesWorkspaceSums ? ('workspace_days' as 'usage_days') : 'usage_days')
    .where('day', '>=', sinceDay)
  if (organizationId) matching = matching.where('organization_id', '=', organizationId)
  if (workspaceId) matching = matching.where('workspace_id', '=', workspaceId)
  if (keyHashes && userIds) {
    if (keyHashes.length + userIds.length === 0) return noSpending
    matching = matching.where((e) => {
      // SQL has no empty list.
      const conditions = []
      if (keyHashes.length > 0) conditions.push(e('key_hash', 'in', keyHashes))
      if (userIds.length > 0) conditions.push(e('user_id', 'in', userIds))
      return e.or(conditions)
    })
  }
  return readSpending(await matching.select([...spendingColumns]).executeTakeFirstOrThrow())
}
