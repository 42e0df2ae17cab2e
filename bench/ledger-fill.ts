import { dayMs } from '#platform/core/clock.ts'
import { newUuid } from '#platform/core/id.ts'
import type { Db } from '#platform/db/db.ts'
import { sql } from '#platform/db/kysely.ts'
import type { Generation } from '#spend/ledger/generation.ts'
import { writeGenerations } from '#spend/metering/write.ts'
import { sumByMinute } from '#spend/rollups/batches.ts'
import { grains } from '#spend/rollups/cell.ts'
import { CellSet } from '#spend/rollups/cell-rows.ts'
import { cellTables, grainsOf } from '#spend/rollups/cell-tables.ts'
import { rollupsLock } from '#spend/rollups/merge-batches.ts'
import { minuteRetentionMs } from '#spend/rollups/prune-cells.ts'
import { toRequestFacts } from '#spend/rollups/request-facts.ts'

export const daysFilled = 30

export const keys = Array.from({ length: 100 }, (_, at) => `${at}`.padStart(64, '0'))
const endpoints = [
  'signalbox/demo@signalbox',
  ...Array.from({ length: 40 }, (_, at) => `author/model-${at >> 1}@p${at & 1}`),
]

/** Requests that are spread over the 30 days before `now`. `generation` creates one by its index, the newest first. */
type Filling = {
  organizationId: string
  requests: number
  now: number
  /** The API keys of the benchmark belong to the first one. */
  workspaces?: readonly string[]
}

/**
 * Writes generations day by day, with their merged roll-ups.
 * @param days the number of days to fill, the newest first.
 * @returns the number of requests written per second.
 */
export async function fill(db: Db, filling: Filling, batch: number, days = daysFilled): Promise<number> {
  let spentMs = 0
  const perDay = Math.ceil(filling.requests / daysFilled)
  const requests = Math.min(filling.requests, perDay * days)
  for (let from = 0; from < requests; from += perDay) {
    const all = Array.from({ length: Math.min(perDay, requests - from) }, (_, i) => generation(filling, from + i))
    const startedAt = performance.now()
    for (let start = 0; start < all.length; start += batch)
      await writeGenerations({ db }, all.slice(start, start + batch))
    spentMs += performance.now() - startedAt
    await rollUp(db, all, filling.now)
  }
  return requests / (spentMs / 1000)
}

/** Writes merged roll-ups directly. A service would merge its pending batches over several days. */
async function rollUp(db: Db, generations: Generation[], now: number): Promise<void> {
  const cells = sumByMinute(generations.map(toRequestFacts))
  for (const table of cellTables) {
    const set = new CellSet(table)
    const isRetained = (grain: number, minute: number) =>
      grain !== grains.minute || minute * 60_000 > now - minuteRetentionMs
    for (const cell of cells)
      set.add(
        cell,
        grainsOf[table].filter((grain) => isRetained(grain, cell.minute)),
      )
    await db.exclusively(rollupsLock, (tx) => set.write(db, tx))
  }
  await sql`delete from rollup_parts`.execute(db.query)
}

/** A factor with a skewed distribution, like latencies. Depends only on the index, so that runs are comparable. */
const skewed = (at: number) => Math.exp(1.2 * Math.sin(at * 12.9898) + 0.8 * Math.cos(at * 78.233))

export const guardrailId = '0199a5f0-0000-7000-8000-000000000001'

/** The outcome of a request: one in 1,000 fails, one is refused, and five have content findings. */
function outcomeOf(at: number): Pick<Generation, 'outcome' | 'cause' | 'contentFindings'> {
  const found = { guardrailId, rule: 'email-address', action: 'flag' as const, count: 1 }
  if (at % 1000 === 3) return { outcome: 'failed', cause: { kind: 'bad_gateway' } }
  if (at % 1000 === 503) return { outcome: 'refused', cause: { kind: 'forbidden', guardrailId } }
  return { outcome: 'success', ...(at % 200 === 7 && { contentFindings: [found] }) }
}

function generation({ organizationId, requests, now, workspaces = ['w'] }: Filling, at: number): Generation {
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
    ...outcomeOf(at),
    attempts: [{ endpointId, provider, outcome: 'answered', durationMs }],
  }
}
