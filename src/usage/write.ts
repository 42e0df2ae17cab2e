import type { Db, Tx } from '#db/db.ts'
import { integerAt, jsonRows, textAt } from '#db/json-rows.ts'
import { sql } from '#db/kysely.ts'
import { dayOf } from './days.ts'
import type { Generation } from './generation.ts'
import { keptRecord, modelOf } from './record.ts'

/**
 * Writes requests and adds them to their days' sums, both or neither. What an earlier try has written already, though
 * its answer was lost, is not written again.
 */
export async function writeGenerations({ db }: { db: Db }, generations: Generation[]): Promise<void> {
  await db.query.transaction().execute(async (tx) => {
    const written = await insertFresh(db, tx, generations)
    const fresh = written.size === generations.length ? generations : generations.filter(({ id }) => written.has(id))
    await addToDays(db, tx, sumsByDay(fresh))
  })
}

/** @returns the ids that were not there before. */
async function insertFresh(db: Db, tx: Tx, generations: Generation[]): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    insert into generations
      (id, created_at, organization_id, workspace_id, key_hash, user_id, session_id, upstream_id, model, cost_pico, record)
    select ${textAt(0)}, ${integerAt(1)}, ${textAt(2)}, ${textAt(3)}, ${textAt(4)}, ${textAt(5)}, ${textAt(6)},
      ${textAt(7)}, ${textAt(8)}, ${integerAt(9)}, ${textAt(10)}
    from ${jsonRows(db, generations.map(toRow))}
    where true on conflict (id) do nothing
    returning id`.execute(tx)
  return new Set(rows.map(({ id }) => id))
}

function toRow(generation: Generation): unknown[] {
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
    String(generation.cost),
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

async function addToDays(db: Db, tx: Tx, sums: Sums[]): Promise<void> {
  if (sums.length === 0) return
  const rows = sums.map((sum) => [...Object.values({ ...sum, cost_pico: String(sum.cost_pico) })])
  await sql`
    insert into usage_days
      (organization_id, day, workspace_id, key_hash, user_id, model, endpoint, byok,
       requests, prompt_tokens, completion_tokens, reasoning_tokens, cost_pico)
    select ${textAt(0)}, ${integerAt(1)}, ${textAt(2)}, ${textAt(3)}, ${textAt(4)}, ${textAt(5)}, ${textAt(6)},
      ${integerAt(7)}, ${integerAt(8)}, ${integerAt(9)}, ${integerAt(10)}, ${integerAt(11)}, ${integerAt(12)}
    from ${jsonRows(db, rows)}
    where true on conflict (organization_id, day, key_hash, model, endpoint, byok) do update set
      requests = usage_days.requests + excluded.requests,
      prompt_tokens = usage_days.prompt_tokens + excluded.prompt_tokens,
      completion_tokens = usage_days.completion_tokens + excluded.completion_tokens,
      reasoning_tokens = usage_days.reasoning_tokens + excluded.reasoning_tokens,
      cost_pico = usage_days.cost_pico + excluded.cost_pico`.execute(tx)
}
