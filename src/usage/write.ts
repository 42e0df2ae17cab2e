import { type Db, isRefused, isUniqueViolation } from '#db/db.ts'
import { type Cell, insertRows, insertTogether } from '#db/insert-rows.ts'
import { keepable, mostKept } from '#lib/pico-usd.ts'
import { dayOf } from './days.ts'
import type { Generation } from './generation.ts'
import { keptRecord, modelOf } from './record.ts'

/**
 * Writes requests and adds them to their days' sums, both or neither. What an earlier try has written already, though
 * its answer was lost, is not written again.
 */
export async function writeGenerations({ db }: { db: Db }, generations: Generation[]): Promise<void> {
  try {
    await writeFresh(db, generations)
  } catch (error) {
    if (!isUniqueViolation(error)) throw error
    const known = await knownIds(db, generations)
    await writeFresh(
      db,
      generations.filter(({ id }) => !known.has(id)),
    )
  }
}

/** A request that the database will never take, and why. */
export type Refused = { generation: Generation; error: unknown }

/**
 * Writes all but those that the database refuses for what is in them: halves find them, so that one bad row keeps
 * nobody else's from being written. @throws what passes, such as a database that is away.
 */
export async function writeAcceptable(deps: { db: Db }, generations: Generation[]): Promise<Refused[]> {
  try {
    await writeGenerations(deps, generations)
    return []
  } catch (error) {
    if (!isRefused(error)) throw error
    const [first] = generations
    if (first && generations.length === 1) return [{ generation: first, error }]
    const middle = generations.length >> 1
    const before = await writeAcceptable(deps, generations.slice(0, middle))
    return [...before, ...(await writeAcceptable(deps, generations.slice(middle)))]
  }
}

async function writeFresh(db: Db, generations: Generation[]): Promise<void> {
  const rows = generations.map(toRow)
  const days = sumsByDay(generations).map(toDayRow)
  if (db.kind === 'postgres') {
    const first = { table: 'generations', columns, rows } as const
    return insertTogether(db.query, first, { table: 'usage_days', columns: dayColumns, rows: days, more: addToSums })
  }
  await db.query.transaction().execute(async (tx) => {
    await insertRows(db, tx, 'generations', columns, rows)
    if (days.length > 0) await insertRows(db, tx, 'usage_days', dayColumns, days, addToSums)
  })
}

async function knownIds({ query }: Db, generations: Generation[]): Promise<Set<string>> {
  const ids = generations.map(({ id }) => id)
  const rows = await query.selectFrom('generations').where('id', 'in', ids).select('id').execute()
  return new Set(rows.map(({ id }) => id))
}

const columns = {
  id: 'text',
  created_at: 'bigint',
  organization_id: 'text',
  workspace_id: 'text',
  key_hash: 'text',
  user_id: 'text',
  session_id: 'text',
  upstream_id: 'text',
  model: 'text',
  cost_pico: 'bigint',
  margin_pico: 'bigint',
  record: 'text',
} as const

function toRow(generation: Generation): Cell[] {
  const { caller } = generation
  return [
    generation.id,
    generation.createdAt,
    caller.organizationId,
    caller.workspaceId,
    caller.keyHash,
    caller.userId,
    generation.sessionId ?? null,
    generation.upstreamId ?? null,
    modelOf(generation),
    String(keepable(generation.cost)),
    String(keepable(generation.margin)),
    keptRecord(generation),
  ]
}

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

/** One row a day, key and endpoint, in one order everywhere, so that two servers cannot wait for each other. */
function sumsByDay(generations: Generation[]): Sums[] {
  const found = new Map<string, Sums>()
  for (const generation of generations) {
    const answered = generation.endpointId !== undefined
    // Nobody answered: nothing was used, but may be billed.
    if (!answered && generation.margin === 0n) continue
    const key = `${generation.caller.keyHash} ${dayOf(generation.createdAt)} ${generation.endpointId} ${generation.byok}`
    const sums = found.get(key) ?? emptySums(generation)
    found.set(key, sums)
    if (answered) sums.requests++
    sums.prompt_tokens += generation.tokens.prompt
    sums.completion_tokens += generation.tokens.completion
    sums.reasoning_tokens += generation.tokens.reasoning
    sums.cost_pico += generation.cost
    sums.margin_pico += generation.margin
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sums]) => sums)
}

const dayColumns = {
  organization_id: 'text',
  day: 'bigint',
  workspace_id: 'text',
  key_hash: 'text',
  user_id: 'text',
  model: 'text',
  endpoint: 'text',
  byok: 'bigint',
  requests: 'bigint',
  prompt_tokens: 'bigint',
  completion_tokens: 'bigint',
  reasoning_tokens: 'bigint',
  cost_pico: 'bigint',
  margin_pico: 'bigint',
} as const satisfies Record<keyof Sums, 'text' | 'bigint'>

const addToSums = `on conflict (organization_id, day, key_hash, model, endpoint, byok) do update set
  ${(['requests', 'prompt_tokens', 'completion_tokens', 'reasoning_tokens'] as const)
    .map((sum) => `${sum} = usage_days.${sum} + excluded.${sum}`)
    .join(', ')},
  ${(['cost_pico', 'margin_pico'] as const)
    .map((sum) => {
      const isMost = `usage_days.${sum} > ${mostKept} - excluded.${sum}`
      return `${sum} = case when ${isMost} then ${mostKept} else usage_days.${sum} + excluded.${sum} end`
    })
    .join(', ')}`

function toDayRow(sums: Sums): Cell[] {
  const names = Object.keys(dayColumns) as (keyof Sums)[]
  return names.map((name) => kept(sums[name]))
}

function kept(value: string | number | bigint): string | number {
  return typeof value === 'bigint' ? String(keepable(value)) : value
}
