import { clampToColumn, maxStorable } from '#platform/core/pico-usd.ts'
import { addToExisting, type ColumnValue, type Insertion } from '#platform/db/rows/insert-rows.ts'
import { dayOf } from '../days.ts'
import type { Generation } from '../generation.ts'

/** The columns of the summed amounts. */
const amountColumns = {
  requests: 'bigint',
  prompt_tokens: 'bigint',
  completion_tokens: 'bigint',
  reasoning_tokens: 'bigint',
  cost_pico: 'bigint',
  margin_pico: 'bigint',
} as const

/**
 * The tables of daily usage with their dimensions. Limits and the usage of keys are read from `usage_days`, reports from
 * `workspace_days`, which stays small with many keys.
 */
const sumTables = {
  usage_days: {
    key: ['organization_id', 'day', 'key_hash', 'model', 'endpoint', 'byok'],
    columns: {
      organization_id: 'text',
      day: 'bigint',
      workspace_id: 'text',
      key_hash: 'text',
      user_id: 'text',
      model: 'text',
      endpoint: 'text',
      byok: 'bigint',
      ...amountColumns,
    },
  },
  workspace_days: {
    key: ['organization_id', 'day', 'workspace_id', 'model', 'endpoint', 'byok'],
    columns: {
      organization_id: 'text',
      day: 'bigint',
      workspace_id: 'text',
      model: 'text',
      endpoint: 'text',
      byok: 'bigint',
      ...amountColumns,
    },
  },
} as const

type UsageRow = ReturnType<typeof toUsageRow>

/** The usage of one request, in the columns of both tables. */
function toUsageRow(generation: Generation) {
  const { caller, createdAt, modelId = '', endpointId = '', byok, tokens, cost, margin } = generation
  return {
    organization_id: caller.organizationId,
    day: dayOf(createdAt),
    workspace_id: caller.workspaceId,
    key_hash: caller.keyHash,
    user_id: caller.userId,
    model: modelId,
    endpoint: endpointId,
    byok: byok ? 1 : 0,
    requests: hasResponse(generation) ? 1 : 0,
    prompt_tokens: tokens.prompt,
    completion_tokens: tokens.completion,
    reasoning_tokens: tokens.reasoning,
    cost_pico: cost,
    margin_pico: margin,
  }
}

const hasResponse = ({ endpointId }: Generation) => endpointId !== undefined

/** Whether a request changes the usage. An unanswered request counts only if limits were charged a margin for lost attempts. */
const isCounted = (generation: Generation) => hasResponse(generation) || generation.margin !== 0n

/** Sums the usage of requests by day, and creates the insertions that add the sums to the tables. */
export class DailyUsage {
  readonly #rowsById = new Map<string, UsageRow>()

  add(generation: Generation): void {
    if (isCounted(generation)) addUsage(this.#rowsById, sumTables.usage_days.key, toUsageRow(generation))
  }

  /** Returns the rows in an order that is the same on all servers, so that concurrent servers do not deadlock. */
  toInsertions(): Insertion[] {
    const rows = sortById(this.#rowsById)
    const workspaceRowsById = new Map<string, UsageRow>()
    // Summed from these few rows instead of all requests.
    for (const row of rows) addUsage(workspaceRowsById, sumTables.workspace_days.key, row)
    return [toInsertion('usage_days', rows), toInsertion('workspace_days', sortById(workspaceRowsById))]
  }
}

function toInsertion(table: keyof typeof sumTables, usageRows: readonly UsageRow[]): Insertion {
  const { key, columns } = sumTables[table]
  const names = Object.keys(columns) as (keyof typeof columns)[]
  return {
    table,
    columns,
    rows: usageRows.map((row) => names.map((name): ColumnValue => toColumnValue(row[name]))),
    suffix: addToExisting(table, key, Object.keys(amountColumns), { columns: /_pico$/, max: maxStorable }),
  }
}

/** The columns that identify a row of a table. */
export type UsageKey<Table extends keyof typeof sumTables> = Pick<UsageRow, (typeof sumTables)[Table]['key'][number]>

/** Returns the id of a row. All writers change the rows in the order of their ids. */
export const usageRowId = <Table extends keyof typeof sumTables>(table: Table, row: UsageKey<Table>): string =>
  joinKey(sumTables[table].key, row as UsageRow)

function joinKey(primaryKey: readonly (keyof UsageRow)[], row: UsageRow): string {
  let id = ''
  for (const name of primaryKey) id += ` ${row[name]}`
  return id
}

/** Adds a row to that with the same values in the columns of the primary key. */
function addUsage(rowsById: Map<string, UsageRow>, primaryKey: readonly (keyof UsageRow)[], row: UsageRow): void {
  const id = joinKey(primaryKey, row)
  const total = rowsById.get(id)
  if (total) addAmounts(total, row)
  else rowsById.set(id, { ...row })
}

const sortById = (rowsById: ReadonlyMap<string, UsageRow>) =>
  [...rowsById].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row)

function addAmounts(total: UsageRow, added: UsageRow): void {
  total.requests += added.requests
  total.prompt_tokens += added.prompt_tokens
  total.completion_tokens += added.completion_tokens
  total.reasoning_tokens += added.reasoning_tokens
  total.cost_pico += added.cost_pico
  total.margin_pico += added.margin_pico
}

function toColumnValue(value: string | number | bigint): ColumnValue {
  return typeof value === 'bigint' ? String(clampToColumn(value)) : value
}
