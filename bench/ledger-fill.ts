import { newUuid } from '#platform/core/id.ts'
import type { Db } from '#platform/db/db.ts'
import { sql } from '#platform/db/kysely.ts'
import type { Generation } from '#spend/ledger/generation.ts'
import { writeGenerations } from '#spend/metering/write.ts'
import { grains } from '#spend/rollups/cell.ts'
import { CellSet } from '#spend/rollups/cell-rows.ts'
import { cellTables, grainsOf } from '#spend/rollups/cell-tables.ts'
import { rollupsLock } from '#spend/rollups/merge-parts.ts'
import { minuteCells } from '#spend/rollups/parts.ts'
import { factsOf } from '#spend/rollups/request-facts.ts'

const dayMs = 86_400_000
export const daysFilled = 30

export const keys = Array.from({ length: 100 }, (_, at) => `${at}`.padStart(64, '0'))
const endpoints = [
  'signalbox/demo@signalbox',
  ...Array.from({ length: 40 }, (_, at) => `author/model-${at >> 1}@p${at & 1}`),
]

/** The `at`th of so many requests, the newest first, over 30 days before `now`. */
export type Filling = {
  organizationId: string
  requests: number
  now: number
  /** Those of the first are seen by its API keys. */
  workspaces?: readonly string[]
}

/**
 * @param days only so many, the newest ones.
 * @returns the number of requests written per second. Their roll-ups are merged day by day.
 */
export async function fill(db: Db, filling: Filling, batch: number, days = daysFilled): Promise<number> {
  let spentMs = 0
  const aDay = Math.ceil(filling.requests / daysFilled)
  const requests = Math.min(filling.requests, aDay * days)
  for (let from = 0; from < requests; from += aDay) {
    const all = Array.from({ length: Math.min(aDay, requests - from) }, (_, next) => generation(filling, from + next))
    const started = performance.now()
    for (let at = 0; at < all.length; at += batch) await writeGenerations({ db }, all.slice(at, at + batch))
    spentMs += performance.now() - started
    await rollUp(db, all, filling.now)
  }
  return requests / (spentMs / 1000)
}

/** Writes the result of merging parts at once, because a service would take days. */
async function rollUp(db: Db, generations: Generation[], now: number): Promise<void> {
  const cells = minuteCells(generations.map(factsOf))
  for (const table of cellTables) {
    const set = new CellSet(table)
    const isKept = (grain: number, minute: number) => grain !== grains.minute || minute * 60_000 > now - 2 * dayMs
    for (const cell of cells)
      set.add(
        cell,
        grainsOf[table].filter((grain) => isKept(grain, cell.minute)),
      )
    await db.exclusively(rollupsLock, (tx) => set.write(db, tx))
  }
  await sql`delete from rollup_parts`.execute(db.query)
}

/** Spread as latencies are, and the same each time. */
const skewed = (at: number) => Math.exp(1.2 * Math.sin(at * 12.9898) + 0.8 * Math.cos(at * 78.233))

export const guardrailId = '0199a5f0-0000-7000-8000-000000000001'

/** Few requests fail or are refused, and in few something is found. */
function endOf(at: number): Pick<Generation, 'outcome' | 'cause' | 'contentFindings'> {
  const found = { guardrailId, rule: 'email-address', action: 'flag' as const, count: 1 }
  if (at % 1000 === 3) return { outcome: 'failed', cause: { kind: 'bad_gateway' } }
  if (at % 1000 === 503) return { outcome: 'refused', cause: { kind: 'forbidden', guardrailId } }
  return { outcome: 'success', ...(at % 200 === 7 && { contentFindings: [found] }) }
}

export function generation({ organizationId, requests, now, workspaces = ['w'] }: Filling, at: number): Generation {
  const key = (at * 7) % keys.length
  const keyHash = keys[key]!
  // A key uses a handful of models.
  const endpointId = endpoints[(key + (at % 8)) % endpoints.length]!
  const [model = '', provider = ''] = endpointId.split('@')
  const latencyMs = Math.round(300 * skewed(at))
  const durationMs = latencyMs + Math.round(1700 * skewed(at + 1))
  return {
    id: `gen-${newUuid()}`,
    requestId: newUuid(),
    caller: {
      organizationId,
      workspaceId: workspaces[key % workspaces.length],
      userId: `u${key % 20}`,
      keyHash,
      keyKind: 'api',
      keyName: 'k',
    } as Generation['caller'],
    sessionId: at % 10 === 0 ? `s${at % 10_000}` : undefined,
    protocol: 'openai-chat',
    streamed: at % 2 === 0,
    createdAt: now - Math.floor((at / requests) * daysFilled * dayMs),
    requestedModel: model,
    candidateModels: [model],
    preset: at % 50 === 9 ? { id: 'house', slug: 'house', version: 1 } : undefined,
    region: 'global',
    modelId: model,
    endpointId,
    provider,
    upstreamId: `chatcmpl-${newUuid()}`,
    upstreamModel: 'model',
    byok: false,
    tokens: { prompt: 1000 + (at % 500), completion: 200, cached: 0, cacheWritten: 0, reasoning: 0 },
    estimated: false,
    capped: false,
    margin: 0n,
    cost: BigInt(at) * 1_000_003n,
    finish: 'stop',
    nativeFinish: 'stop',
    toolCalls: 0,
    latencyMs,
    durationMs,
    ...endOf(at),
    attempts: [{ endpointId, provider, outcome: 'answered', durationMs }],
  }
}
