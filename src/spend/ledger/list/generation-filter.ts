import type { RawBuilder, SelectQueryBuilder } from 'kysely'
import type { PicoUsd } from '#platform/core/pico-usd.ts'
import { sql } from '#platform/db/kysely.ts'
import type { Tables } from '#platform/db/tables.ts'
import type { RequestTag } from '../generation.ts'
import type { VisibleRows } from './visibility.ts'

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

/** Whether a filter excludes everything that the caller is allowed to see. */
export function excludesEverything(
  { keyHash, userId, workspaceId }: GenerationFilter,
  { column, value }: VisibleRows,
): boolean {
  const ownerFilters = { key_hash: keyHash, user_id: userId, workspace_id: workspaceId, organization_id: undefined }
  const requested = ownerFilters[column]
  return requested !== undefined && requested !== value
}

/** The index that selects the rows, by its column, and the value in this column if the index has one for each row. */
export type IndexFilter =
  | { column: 'session_id' | 'key_hash' | 'user_id' | 'workspace_id'; value: string }
  | { column: 'outcome' | 'guardrails' | 'unconfirmed' | 'created_at' }

/**
 * Selects the index of the most selective filter. The other filters are tested on the rows of the page:
 * if the database chose, it could scan millions of rows.
 */
export function selectIndex(filter: GenerationFilter, visible: VisibleRows): IndexFilter {
  const { sessionId, outcome, guardrailId, keyHash, userId, workspaceId } = filter
  if (sessionId !== undefined) return { column: 'session_id', value: sessionId }
  if (filter.unconfirmed) return { column: 'unconfirmed' }
  if (outcome !== undefined && !outcome.includes('success')) return { column: 'outcome' }
  if (guardrailId !== undefined) return { column: 'guardrails' }
  if (keyHash !== undefined) return { column: 'key_hash', value: keyHash }
  if (visible.column !== 'organization_id') return { column: visible.column, value: visible.value }
  if (userId !== undefined) return { column: 'user_id', value: userId }
  return workspaceId === undefined ? { column: 'created_at' } : { column: 'workspace_id', value: workspaceId }
}

/** The conditions of partial indexes have literals: with parameters, the databases would not use these indexes. */
export function selectByIndex(query: Generations, index: IndexFilter): Generations {
  switch (index.column) {
    case 'created_at':
      return query
    case 'outcome':
      return query.where('outcome', '<>', sql.lit('success'))
    case 'guardrails':
      return query.where('guardrails', 'is not', null)
    case 'unconfirmed':
      return query.where(sql<boolean>`margin_pico > ${sql.lit(0)}`)
    default:
      return query.where(index.column, '=', index.value)
  }
}

/** Returns filters that are tested on each row. `is true` prevents the database from using their index. */
export function rowConditions(
  filter: GenerationFilter,
  { column: indexColumn }: IndexFilter,
  visible: VisibleRows,
): RawBuilder<boolean>[] {
  const compare = (column: keyof Tables['generations'], operator: '=' | '>=' | '<=', value: unknown) =>
    value === undefined || column === indexColumn ? [] : [sql`${sql.ref(column)} ${sql.raw(operator)} ${value}`]
  const { outcome, guardrailId, streamed, unconfirmed, tag } = filter
  const conditions: RawBuilder<unknown>[] = [
    ...compare('session_id', '=', filter.sessionId),
    ...compare('key_hash', '=', filter.keyHash),
    ...compare('user_id', '=', filter.userId),
    ...compare('workspace_id', '=', filter.workspaceId),
    ...compare('model', '=', filter.model),
    ...compare('provider', '=', filter.provider),
    ...compare('preset', '=', filter.preset),
    ...compare('error', '=', filter.error),
    ...compare('streamed', '=', streamed === undefined ? undefined : Number(streamed)),
    ...compare('cost_pico', '>=', filter.minCost),
    ...compare('cost_pico', '<=', filter.maxCost),
    ...compare('latency_ms', '>=', filter.minLatencyMs),
    ...compare('latency_ms', '<=', filter.maxLatencyMs),
    ...compare('duration_ms', '>=', filter.minDurationMs),
    ...compare('duration_ms', '<=', filter.maxDurationMs),
  ]
  // `selectMatchingRows` in `list-generations.ts` adds the organization, because it matches most rows.
  if (visible.column !== 'organization_id') conditions.push(...compare(visible.column, '=', visible.value))
  if (unconfirmed && indexColumn !== 'unconfirmed') conditions.push(sql`margin_pico > 0`)
  if (tag !== undefined) conditions.push(hasTag(tag))
  if (outcome !== undefined) conditions.push(sql`outcome in (${sql.join(outcome)})`)
  if (guardrailId !== undefined) conditions.push(sql`',' || guardrails || ',' like ${`%,${guardrailId},%`}`)
  return conditions.map((condition) => sql<boolean>`(${condition}) is true`)
}

const hasTag = ([name, value]: RequestTag) =>
  sql`exists (select 1 from request_tags where generation_id = generations.id and name = ${name} and value = ${value})`
