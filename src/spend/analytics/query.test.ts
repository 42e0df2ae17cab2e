import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hourMs, minuteMs } from '#platform/core/clock.ts'
import { Sketch } from '#platform/metrics/sketch.ts'
import { newDb, onEachDatabase } from '#test/harness/database/databases.ts'
import { caller, generation } from '#test/harness/records/generations.ts'
import { mergeAll } from '#test/harness/records/rollups.ts'
import { Seeded } from '#test/harness/service/world/seeded.ts'
import type { Generation } from '../ledger/generation.ts'
import { writeGenerations } from '../metering/write.ts'
import { mergeBatches } from '../rollups/merge-batches.ts'
import { toRequestFacts } from '../rollups/request-facts.ts'
import { bucketStart, slotMinutesOf } from './buckets.ts'
import { type DimensionFilter, type DimensionName, dimensions, matchesFilter } from './dimensions.ts'
import { type AnalyticsQuery, queryAnalytics, type Scope } from './query.ts'
import type { Granularity } from './slot-ranges.ts'

/** Within a day and within an hour. */
const now = Date.UTC(2026, 10, 18, 12, 34)

function someRequest(chance: Seeded): Generation {
  const outcome = chance.pick(['success', 'success', 'failed', 'refused', 'client_left'] as const)
  const model = chance.pick(['a/b', 'c/d', 'e/f'])
  const hasResponse = outcome === 'success' || outcome === 'client_left'
  return generation({
    caller: { ...caller, keyHash: chance.pick(['k1', 'k2']), organizationId: chance.pick(['organization', 'other']) },
    createdAt: now - chance.between(0, 47 * hourMs),
    outcome,
    byok: chance.chance(0.3),
    candidateModels: [model],
    modelId: hasResponse ? model : undefined,
    endpointId: hasResponse ? `${model}@p` : undefined,
    preset: chance.chance(0.4) ? { id: 'p', slug: chance.pick(['house', 'guest']), version: 1 } : undefined,
    cost: hasResponse ? BigInt(chance.between(1, 1e9)) : 0n,
    latencyMs: hasResponse && chance.chance(0.8) ? chance.next() * 900 : undefined,
    durationMs: chance.next() * 9000,
  })
}

const someFilter = (chance: Seeded): DimensionFilter => ({
  ...chance.pick([
    { column: 'preset', values: ['house'] },
    { column: 'model', values: ['a/b', 'c/d'] },
    { column: 'outcome', values: ['refused'] },
    { column: 'key_hash', values: ['k2'] },
  ] as const),
  isNegated: chance.chance(0.5),
  includesUnset: chance.chance(0.5),
})

const amounts = [
  'request_count',
  'answered_count',
  'refused_count',
  'tokens_total',
  'total_usage',
  'byok_usage',
] as const

function someQuery(chance: Seeded): AnalyticsQuery {
  const from = now - chance.between(1, 47 * 60) * minuteMs
  return {
    metrics: [...amounts, ...(chance.chance(0.7) ? (['latency_p50', 'generation_time_p99'] as const) : [])],
    dimensions: chance.pick<DimensionName[]>([[], ['model'], ['preset', 'outcome'], ['api_key_id', 'is_byok']]),
    filters: Array.from({ length: chance.between(0, 2) }, () => someFilter(chance)),
    granularity: chance.pick<Granularity | undefined>([undefined, 'minute', 'hour', 'day', 'week', 'month']),
    from,
    to: from + chance.between(1, 30 * 60) * minuteMs,
  }
}

type Figures = { sums: bigint[]; latency: number | undefined; duration: number | undefined }

/** Sums the requests one by one, as a reference. */
function expected(all: Generation[], { organizationId, keyHash }: Scope, query: AnalyticsQuery): Map<string, Figures> {
  const groups = new Map<string, { sums: bigint[]; latency: Sketch; duration: Sketch }>()
  for (const facts of all.map(toRequestFacts)) {
    const { dimensions: of, tokens, at, cost } = facts
    if (of.organization_id !== organizationId || (keyHash !== undefined && of.key_hash !== keyHash)) continue
    if (at < query.from || at >= query.to) continue
    if (!query.filters.every((filter) => matchesFilter(filter, of[filter.column]))) continue
    const { granularity } = query
    const unit = Math.floor(at / minuteMs / (slotMinutesOf(granularity) ?? 1))
    const start = granularity ? bucketStart(granularity, unit) : 0
    const id = [start, ...query.dimensions.map((name) => of[dimensions[name].column])].join('|')
    const none = () => ({ sums: [0n, 0n, 0n, 0n, 0n, 0n], latency: new Sketch(), duration: new Sketch() })
    const group = groups.getOrInsertComputed(id, none)
    const one = [1n, of.endpoint ? 1n : 0n, of.outcome === 'refused' ? 1n : 0n]
    one.push(BigInt(tokens.prompt + tokens.completion), of.byok === 'true' ? 0n : cost, of.byok === 'true' ? cost : 0n)
    group.sums = group.sums.map((sum, at) => sum + one[at]!)
    if (facts.latencyMs !== null) group.latency.accept(facts.latencyMs)
    group.duration.accept(facts.durationMs)
  }
  const isAsked = query.metrics.includes('latency_p50')
  const results = [...groups].map(([id, { sums, latency, duration }]): [string, Figures] => {
    const percentiles = { latency: latency.quantile(0.5), duration: duration.quantile(0.99) }
    return [id, { sums, ...(isAsked ? percentiles : { latency: undefined, duration: undefined }) }]
  })
  return new Map(results.sort(([a], [b]) => (a < b ? -1 : 1)))
}

onEachDatabase('a report', (kind) => {
  test('equals the sum of single requests, for any time and grouping', async () => {
    await using store = await newDb(kind)
    const chance = new Seeded(3)
    const all = Array.from({ length: 400 }, () => someRequest(chance))
    for (let from = 0; from < all.length; from += 40) await writeGenerations(store, all.slice(from, from + 40))
    const deps = { db: store.db, now: () => now, retentionDays: 30 }
    let found = 0
    for (const merged of ['nothing', 'some', 'all']) {
      if (merged === 'some') await mergeBatches(store)
      if (merged === 'all') await mergeAll(store.db)
      for (let round = 0; round < 60; round++) {
        const query = someQuery(chance)
        const scope: Scope = { organizationId: 'organization', ...(chance.chance(0.4) && { keyHash: 'k1' }) }
        const { groups, ...time } = await queryAnalytics(deps, scope, query)
        const results = groups.map((group): [string, Figures] => {
          const counts = (['requests', 'answered', 'refused'] as const).map((name) => group.sum(name))
          const tokens = group.sum('prompt') + group.sum('completion')
          const sums = [...counts, tokens, group.sum('cost'), group.sum('byokCost')]
          const [latency, duration] = [group.percentile('latency', 50), group.percentile('duration', 99)]
          return [[group.start, ...group.values].join('|'), { sums, latency, duration }]
        })
        const sorted = new Map(results.sort(([a], [b]) => (a < b ? -1 : 1)))
        assert.deepEqual(sorted, expected(all, scope, query), `${merged}: ${JSON.stringify(query)}`)
        assert.deepEqual(time, { from: query.from, to: query.to })
        found += groups.length
      }
    }
    assert.ok(found > 500, `only ${found} groups`)
  })

  test('by model reads the cells of models from the first complete day on', async () => {
    await using store = await newDb(kind)
    const requests = Array.from({ length: 60 }, (_, hour) => generation({ createdAt: now - hour * hourMs }))
    await writeGenerations(store, requests)
    await mergeAll(store.db)
    const day = Math.floor(now / (24 * hourMs)) - 1
    await store.db.query.insertInto('model_cells_since').values({ id: 1, day }).execute()
    // Cells that must not be read are absent.
    for (const [grain, per] of [
      [60, 24],
      [1440, 1],
    ] as const) {
      const of = (table: 'model_cells' | 'workspace_cells') =>
        store.db.query.deleteFrom(table).where('grain', '=', grain)
      await of('model_cells')
        .where('slot', '<', day * per)
        .execute()
      await of('workspace_cells')
        .where('slot', '>=', day * per)
        .execute()
    }
    const deps = { db: store.db, now: () => now, retentionDays: 30 }
    const [from, to] = [now - 60 * hourMs, now + hourMs]
    for (const granularity of ['hour', 'day', undefined] as const) {
      const query = { metrics: ['request_count', 'latency_p50'] as const, dimensions: ['model'] as const, granularity }
      const scope = { organizationId: caller.organizationId }
      const { groups } = await queryAnalytics(deps, scope, { ...query, filters: [], from, to })
      const results = groups.map((group) => [Number(group.sum('requests')), typeof group.percentile('latency', 50)])
      const counted = results.reduce((sum, [requests]) => sum + Number(requests), 0)
      assert.deepEqual([counted, results.some(([, type]) => type !== 'number')], [60, false], String(granularity))
    }
  })
})
