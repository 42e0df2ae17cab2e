import type { RawBuilder, SelectQueryBuilder } from 'kysely'
import type { PicoUsd } from '#platform/core/pico-usd.ts'
import { sql } from '#platform/db/kysely.ts'
import type { Tables } from '#platform/db/tables.ts'
import type { RequestTag } from '../generation.ts'
import type { visibilityOf } from './visibility.ts'

/** Filters, which are combined with AND. Times in milliseconds since the epoch, `from` inclusive, `to` exclusive. */
export type GenerationFilter = {
  from?: number
  to?: number
  keyHash?: string
  userId?: string
  workspaceId?: string
  sessionId?: string
  tag?: RequestTag
  model?: string
  provider?: string
  preset?: string
  /** A guardrail that refused the request or has findings. */
  guardrailId?: string
  outcome?: readonly string[]
  error?: string
  streamed?: boolean
  minCost?: PicoUsd
  maxCost?: PicoUsd
  /** Whether limits are charged more than the cost. */
  unconfirmed?: boolean
  minLatencyMs?: number
  maxLatencyMs?: number
  minDurationMs?: number
  maxDurationMs?: number
}

/** Requests of the ledger. */
export type Generations = SelectQueryBuilder<Tables, 'generations', object>

/** The column and the value that select the requests that a caller can see. */
export type Owner = ReturnType<typeof visibilityOf>
export const isOrganization = ([column]: Owner) => column === 'organization_id'

/** Whether a filter excludes everything that the caller is allowed to see. */
export function excludesEverything(
  { keyHash, userId, workspaceId }: GenerationFilter,
  [column, value]: Owner,
): boolean {
  const ownerFilters = { key_hash: keyHash, user_id: userId, workspace_id: workspaceId, organization_id: undefined }
  const requested = ownerFilters[column]
  return requested !== undefined && requested !== value
}

/** The indexed column that selects the rows, and its value if it has one. */
type IndexFilter =
  | readonly ['session_id' | 'key_hash' | 'user_id' | 'workspace_id', string]
  | readonly ['outcome' | 'guardrails' | 'unconfirmed' | 'created_at']

/**
 * Selects the index of the most selective filter. The other filters are tested on the rows of the page:
 * if the database chose, it could scan millions of rows.
 */
export function selectIndex(filter: GenerationFilter, owner: Owner): IndexFilter {
  const { sessionId, outcome, guardrailId, keyHash, userId, workspaceId } = filter
  if (sessionId !== undefined) return ['session_id', sessionId]
  if (filter.unconfirmed) return ['unconfirmed']
  if (outcome !== undefined && !outcome.includes('success')) return ['outcome']
  if (guardrailId !== undefined) return ['guardrails']
  if (keyHash !== undefined) return ['key_hash', keyHash]
  if (owner[0] !== 'organization_id') return owner
  if (userId !== undefined) return ['user_id', userId]
  return workspaceId === undefined ? ['created_at'] : ['workspace_id', workspaceId]
}

/** The conditions of partial indexes have literals: with parameters, the databases would not use these indexes. */
export function selectByIndex(query: Generations, [column, value]: IndexFilter): Generations {
  return query
    .$if(column === 'outcome', (rows) => rows.where('outcome', '<>', sql.lit('success')))
    .$if(column === 'guardrails', (rows) => rows.where('guardrails', 'is not', null))
    .$if(column === 'unconfirmed', (rows) => rows.where('margin_pico', '>', sql.lit(0) as never))
    .$if(value !== undefined, (rows) => rows.where(column as 'key_hash', '=', value!))
}

type RowCondition = [
  column: keyof Tables['generations'],
  operator: '=' | '>=' | '<=',
  value: string | number | bigint | undefined,
]

/** Returns filters that are tested on each row. `is true` prevents the database from using their index. */
export function rowConditions(
  filter: GenerationFilter,
  [indexFilter]: IndexFilter,
  owner: Owner,
): RawBuilder<boolean>[] {
  const { outcome, guardrailId, streamed, unconfirmed, tag } = filter
  const columnConditions: RowCondition[] = [
    ['session_id', '=', filter.sessionId],
    ['key_hash', '=', filter.keyHash],
    ['user_id', '=', filter.userId],
    ['workspace_id', '=', filter.workspaceId],
    ['model', '=', filter.model],
    ['provider', '=', filter.provider],
    ['preset', '=', filter.preset],
    ['error', '=', filter.error],
    ['streamed', '=', streamed === undefined ? undefined : Number(streamed)],
    ['cost_pico', '>=', filter.minCost],
    ['cost_pico', '<=', filter.maxCost],
    ['latency_ms', '>=', filter.minLatencyMs],
    ['latency_ms', '<=', filter.maxLatencyMs],
    ['duration_ms', '>=', filter.minDurationMs],
    ['duration_ms', '<=', filter.maxDurationMs],
  ]
  // `withConditions` adds the organization.
  if (!isOrganization(owner)) columnConditions.push([owner[0], '=', owner[1]])
  const conditions: RawBuilder<unknown>[] = columnConditions
    .filter(([column, , value]) => value !== undefined && column !== indexFilter)
    .map(([column, operator, value]) => sql`${sql.ref(column)} ${sql.raw(operator)} ${value}`)
  if (unconfirmed && indexFilter !== 'unconfirmed') conditions.push(sql`margin_pico > 0`)
  if (tag !== undefined) {
    const [name, value] = tag
    conditions.push(
      sql`exists (select 1 from request_tags where generation_id = generations.id and name = ${name} and value = ${value})`,
    )
  }
  if (outcome !== undefined) conditions.push(sql`outcome in (${sql.join(outcome)})`)
  if (guardrailId !== undefined) conditions.push(sql`',' || guardrails || ',' like ${`%,${guardrailId},%`}`)
  return conditions.map((condition) => sql<boolean>`(${condition}) is true`)
}
