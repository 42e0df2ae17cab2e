import { addToExisting, type Cell, type Inserted } from '#db/insert-rows.ts'
import { keepable, mostKept } from '#lib/pico-usd.ts'
import { dayOf } from './days.ts'
import type { Generation } from './generation.ts'

/** The amounts that are added up, and their columns. */
const amounts = {
  requests: 'bigint',
  prompt_tokens: 'bigint',
  completion_tokens: 'bigint',
  reasoning_tokens: 'bigint',
  cost_pico: 'bigint',
  margin_pico: 'bigint',
} as const

/**
 * The tables of sums, each with what a row of it is for; the first ones are its key. Limits and keys ask the one by key
 * and member, reports the other: it stays small however many keys there are.
 */
const tables = {
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
      ...amounts,
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
      ...amounts,
    },
  },
} as const

type Sums = ReturnType<typeof emptySums>

function emptySums({ caller, createdAt, modelId = '', endpointId = '', byok }: Generation) {
  return {
    organization_id: caller.organizationId,
    day: dayOf(createdAt),
    workspace_id: caller.workspaceId,
    key_hash: caller.keyHash,
    user_id: caller.userId,
    model: modelId,
    endpoint: endpointId,
    byok: byok ? 1 : 0,
    requests: 0,
    prompt_tokens: 0,
    completion_tokens: 0,
    reasoning_tokens: 0,
    cost_pico: 0n,
    margin_pico: 0n,
  }
}

/**
 * Statements that add requests to their sums. The order is the same everywhere, so that no two servers wait for each
 * other.
 */
export function insertionsOfSums(generations: readonly Generation[]): Inserted[] {
  return (Object.keys(tables) as (keyof typeof tables)[]).map((table) => {
    const { key, columns } = tables[table]
    const names = Object.keys(columns) as (keyof typeof columns)[]
    const rows = sumsBy(key, generations).map((sums) => names.map((name): Cell => kept(sums[name])))
    return {
      table,
      columns,
      rows,
      more: addToExisting(table, key, Object.keys(amounts), { columns: /_pico$/, most: mostKept }),
    }
  })
}

function sumsBy(key: readonly (keyof Sums)[], generations: readonly Generation[]): Sums[] {
  const found = new Map<string, Sums>()
  for (const generation of generations) {
    const answered = generation.endpointId !== undefined
    // Nobody answered: nothing was used, but may be billed.
    if (!answered && generation.margin === 0n) continue
    const empty = emptySums(generation)
    const id = key.map((name) => empty[name]).join(' ')
    const sums = found.get(id) ?? empty
    found.set(id, sums)
    if (answered) sums.requests++
    sums.prompt_tokens += generation.tokens.prompt
    sums.completion_tokens += generation.tokens.completion
    sums.reasoning_tokens += generation.tokens.reasoning
    sums.cost_pico += generation.cost
    sums.margin_pico += generation.margin
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sums]) => sums)
}

function kept(value: string | number | bigint): Cell {
  return typeof value === 'bigint' ? String(keepable(value)) : value
}
