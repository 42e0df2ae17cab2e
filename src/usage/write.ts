import { sql } from 'kysely'
import type { Db, Tx } from '#db/db.ts'
import { dayOf } from './days.ts'
import type { Generation } from './generation.ts'
import { toRecord } from './record.ts'

/** Rows in one statement: SQLite binds 32,766 values at the most. */
const rowsPerInsert = 500

/**
 * Writes requests and adds them to their days' sums, both or neither. What an earlier try has written already, though
 * its answer was lost, is not written again.
 */
export async function writeGenerations(deps: { db: Db }, generations: Generation[]): Promise<void> {
  await deps.db.query.transaction().execute(async (tx) => {
    const fresh = await unwritten(tx, generations)
    for (let at = 0; at < fresh.length; at += rowsPerInsert) {
      const rows = fresh.slice(at, at + rowsPerInsert).map(toRow)
      await tx.insertInto('generations').values(rows).execute()
    }
    for (const sums of sumsByDay(fresh)) await addToDay(tx, sums)
  })
}

async function unwritten(tx: Tx, generations: Generation[]): Promise<Generation[]> {
  const ids = generations.map(({ id }) => id)
  const written = await tx.selectFrom('generations').select('id').where('id', 'in', ids).execute()
  if (written.length === 0) return generations
  const known = new Set(written.map(({ id }) => id))
  return generations.filter(({ id }) => !known.has(id))
}

function toRow(generation: Generation) {
  const { caller } = generation
  return {
    id: generation.id,
    created_at: generation.createdAt,
    organization_id: caller.organizationId,
    workspace_id: caller.workspaceId,
    key_hash: caller.keyHash,
    user_id: caller.userId,
    session_id: generation.sessionId ?? null,
    upstream_id: generation.upstreamId ?? null,
    model: generation.modelId ?? generation.requestedModel,
    cost_pico: generation.cost,
    record: JSON.stringify(toRecord(generation)),
  }
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
  }
}

/** One row a day, key and endpoint, in one order everywhere, so that two servers cannot wait for each other. */
function sumsByDay(generations: Generation[]): Sums[] {
  const found = new Map<string, Sums>()
  for (const generation of generations) {
    // Nobody answered: nothing was used.
    if (generation.endpointId === undefined) continue
    const key = `${generation.caller.keyHash} ${dayOf(generation.createdAt)} ${generation.endpointId} ${generation.byok}`
    const sums = found.get(key) ?? emptySums(generation)
    found.set(key, sums)
    sums.requests++
    sums.prompt_tokens += generation.tokens.prompt
    sums.completion_tokens += generation.tokens.completion
    sums.reasoning_tokens += generation.tokens.reasoning
    sums.cost_pico += generation.cost
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, sums]) => sums)
}

async function addToDay(tx: Tx, sums: Sums): Promise<void> {
  const add = (column: 'requests' | 'prompt_tokens' | 'completion_tokens' | 'reasoning_tokens' | 'cost_pico') =>
    sql`${sql.ref(`usage_days.${column}`)} + ${sql.ref(`excluded.${column}`)}`
  await tx
    .insertInto('usage_days')
    .values(sums)
    .onConflict((conflict) =>
      conflict.columns(['organization_id', 'day', 'key_hash', 'model', 'endpoint', 'byok']).doUpdateSet({
        requests: add('requests') as never,
        prompt_tokens: add('prompt_tokens') as never,
        completion_tokens: add('completion_tokens') as never,
        reasoning_tokens: add('reasoning_tokens') as never,
        cost_pico: add('cost_pico') as never,
      }),
    )
    .execute()
}
