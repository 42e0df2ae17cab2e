import { clampToColumn, maxStorable } from '#platform/core/pico-usd.ts'
import { addToExisting, type ColumnValue, type Insertion } from '#platform/db/rows/insert-rows.ts'
import { dayOf } from '../days.ts'
import type { Generation } from '../generation.ts'

/** The summed amounts and their columns. */
const amountColumns = {
  requests: 'bigint',
  prompt_tokens: 'bigint',
  completion_tokens: 'bigint',
  reasoning_tokens: 'bigint',
  cost_pico: 'bigint',
  margin_pico: 'bigint',
} as const

/**
 * The tables of sums with their dimensions. Limits and keys use `usage_days`. Reports use `workspace_days`, which stays
 * small with many keys.
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

type Sums = ReturnType<typeof toSums>

/** The sums of one request. */
function toSums(generation: Generation) {
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
    requests: isAnswered(generation) ? 1 : 0,
    prompt_tokens: tokens.prompt,
    completion_tokens: tokens.completion,
    reasoning_tokens: tokens.reasoning,
    cost_pico: cost,
    margin_pico: margin,
  }
}

const isAnswered = ({ endpointId }: Generation) => endpointId !== undefined

/** Whether a request changes the sums. Without an answer, only a margin does. */
const isCounted = (generation: Generation) => isAnswered(generation) || generation.margin !== 0n

/** Sums of requests by day, for the statements that add them. */
export class DaySums {
  readonly #byKey = new Map<string, Sums>()

  add(generation: Generation): void {
    if (isCounted(generation)) addByKey(this.#byKey, sumTables.usage_days.key, toSums(generation))
  }

  /** The same order on all servers, to avoid deadlocks. */
  insertions(): Insertion[] {
    const byKey = sortedSums(this.#byKey)
    const byWorkspace = new Map<string, Sums>()
    // Computed from these few sums instead of all requests.
    for (const sums of byKey) addByKey(byWorkspace, sumTables.workspace_days.key, sums)
    return [toInsertion('usage_days', byKey), toInsertion('workspace_days', sortedSums(byWorkspace))]
  }
}

function toInsertion(table: keyof typeof sumTables, sums: readonly Sums[]): Insertion {
  const { key, columns } = sumTables[table]
  const names = Object.keys(columns) as (keyof typeof columns)[]
  return {
    table,
    columns,
    rows: sums.map((rowSums) => names.map((name): ColumnValue => toColumnValue(rowSums[name]))),
    suffix: addToExisting(table, key, Object.keys(amountColumns), { columns: /_pico$/, max: maxStorable }),
  }
}

function addByKey(totals: Map<string, Sums>, key: readonly (keyof Sums)[], sums: Sums): void {
  let id = ''
  for (const name of key) id += ` ${sums[name]}`
  const total = totals.get(id)
  if (total) addTo(total, sums)
  else totals.set(id, { ...sums })
}

const sortedSums = (totals: ReadonlyMap<string, Sums>) =>
  [...totals].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sums]) => sums)

function addTo(total: Sums, summand: Sums): void {
  total.requests += summand.requests
  total.prompt_tokens += summand.prompt_tokens
  total.completion_tokens += summand.completion_tokens
  total.reasoning_tokens += summand.reasoning_tokens
  total.cost_pico += summand.cost_pico
  total.margin_pico += summand.margin_pico
}

function toColumnValue(value: string | number | bigint): ColumnValue {
  return typeof value === 'bigint' ? String(clampToColumn(value)) : value
}
