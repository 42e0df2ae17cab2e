import { toUsd } from '#platform/core/pico-usd.ts'
import type { Db } from '#platform/db/db.ts'
import { sql } from '#platform/db/kysely.ts'
import { dayText } from '../days.ts'
import { exactSum } from '../sums/exact.ts'
import { readSum } from '../sums/read-sum.ts'
import { spentColumn } from './spending.ts'

type ActivityFilter = {
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
  /** Charged to limits in addition to the costs, with any credential. */
  unconfirmedUsd: number
}

/** The usage by day, latest first. Reads sums, never single requests. */
export async function listActivity(deps: { db: Pick<Db, 'reportQuery'> }, filter: ActivityFilter): Promise<Activity[]> {
  const { by, keyHash, userId } = filter
  // The sums by workspace are fewer, and sufficient unless keys or members matter. The cast is for the compiler: the columns
  // that such a query uses are the same in both tables.
  const needsKeySums = keyHash !== undefined || userId !== undefined || by.has('key') || by.has('member')
  let matching = deps.db.reportQuery
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
    // Requests without a response are not counted, but can have a cost.
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

const sumColumn = <Name extends string>(column: Name) => exactSum(sql.ref(column)).as(column)
