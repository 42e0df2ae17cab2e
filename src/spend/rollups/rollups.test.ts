import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dayMs } from '#platform/core/clock.ts'
import type { Db } from '#platform/db/db.ts'
import { up } from '#platform/db/migrations/0088_model_cells.ts'
import { openDb } from '#platform/db/open.ts'
import { rolledUp } from '#platform/db/tables/ledger-tables.ts'
import { newDb, newTestStore, onEachDatabase } from '#test/harness/database/databases.ts'
import { at, caller, generation } from '#test/harness/records/generations.ts'
import { mergeAll, recomputedCells, requestsInParts, storedCells } from '#test/harness/records/rollups.ts'
import { Seeded } from '#test/harness/service/world/seeded.ts'
import type { Generation } from '../ledger/generation.ts'
import { writeGenerations } from '../metering/write.ts'
import { backfillRollups } from './backfill.ts'
import { grains } from './cell.ts'
import { cellTables, grainsOf } from './cell-tables.ts'
import { mergeBatches } from './merge-batches.ts'
import { pruneCells } from './prune-cells.ts'

/** Requests of all kinds: answered, failed, refused, disconnected, cached, with and without measurements. */
function someRequests(chance: Seeded, count: number): Generation[] {
  return Array.from({ length: count }, () => {
    const outcome = chance.pick(['success', 'success', 'success', 'failed', 'refused', 'client_left'] as const)
    const model = chance.pick(['a/b', 'c/d'])
    const hasResponse = outcome === 'success' || outcome === 'client_left'
    const tokens = { prompt: chance.between(0, 5000), completion: 40, cached: 7, cacheWritten: 1, reasoning: 3 }
    return generation({
      caller: { ...caller, keyHash: `key${chance.between(0, 9)}`, workspaceId: chance.pick(['w1', 'w2']) },
      createdAt: at - chance.between(0, 3 * dayMs),
      outcome,
      byok: chance.chance(0.3),
      requestedModel: chance.chance(0.2) ? `made-up-${chance.next()}` : model,
      candidateModels: chance.chance(0.1) ? [] : [model],
      ...(hasResponse
        ? { modelId: model, endpointId: `${model}@p`, tokens, cost: BigInt(chance.between(0, 1e9)) * 1_000_003n }
        : { modelId: undefined, endpointId: undefined, provider: undefined, cost: 0n, latencyMs: undefined }),
      ...(outcome === 'failed' && { cause: { kind: 'bad_gateway' as const } }),
      ...(outcome === 'refused' && { cause: { kind: 'forbidden' as const, rule: 'allowed_models' } }),
      ...(chance.chance(0.3) && { preset: { id: 'p', slug: 'house', version: 1 } }),
      cacheSaving: chance.chance(0.5) ? BigInt(chance.between(-1000, 1000)) * 1_000_000_007n : undefined,
      streamed: chance.chance(0.5),
      ...(hasResponse && chance.chance(0.8) && { latencyMs: chance.next() * 900, durationMs: chance.next() * 9000 }),
    })
  })
}

async function assertEqualToRows(db: Db): Promise<void> {
  for (const table of cellTables) {
    for (const grain of grainsOf[table]) {
      const response = await storedCells(db, table, grain)
      assert.ok(response.size > 0)
      assert.deepEqual(response, await recomputedCells(db, table, grain), `${table} of ${grain} minutes`)
    }
  }
}

onEachDatabase('roll-ups', (kind) => {
  test('are merged with one query per table for any number of slots', async () => {
    const testStore = await newTestStore(kind)
    const statements: string[] = []
    const db = await openDb(testStore.settings, {
      onQuery: (_seconds, _outcome, _error, text = '') => statements.push(text),
    })
    for (let minute = 0; minute < 10; minute++)
      await writeGenerations({ db }, [generation({ id: `gen-${minute}`, createdAt: at + minute * 60_000 })])
    await mergeBatches({ db })
    const looks = statements.filter((text) => /^select .* from "(key|workspace)_cells"/.test(text))
    await db.close()
    await testStore.remove()
    assert.equal(looks.length, 2)
  })

  test('equal the rows of the ledger, in every grain', async () => {
    await using store = await newDb(kind)
    const chance = new Seeded(11)
    for (let batch = 0; batch < 12; batch++) {
      const some = someRequests(chance, chance.between(1, 60))
      await writeGenerations(store, some)
      // Its response was lost, so it is retried together with other requests.
      if (chance.chance(0.4)) await writeGenerations(store, [...some, ...someRequests(chance, 3)])
      if (chance.chance(0.5)) await mergeBatches(store)
    }
    await mergeAll(store.db)
    await assertEqualToRows(store.db)
  })

  test('of models are complete from the first counted row or the next day on', async () => {
    await using store = await newDb(kind)
    const since = () => store.db.query.selectFrom('model_cells_since').select('day').execute()
    assert.deepEqual(await since(), [])
    const repeatRollup = async () => {
      for (const table of ['model_cells', 'model_cells_since']) await store.db.query.schema.dropTable(table).execute()
      await up(store.db.query as never)
      return since()
    }
    assert.deepEqual(await repeatRollup(), [])
    await writeGenerations(store, [generation()])
    const [response] = await repeatRollup()
    const day = Date.now() / dayMs
    assert.ok(response!.day >= Math.floor(day) && response!.day <= day + 2, `${response!.day}, and today is ${day}`)
    assert.ok(response!.day * dayMs > Date.now())
  })

  test('are written with the rows or not at all, and merged or not at all', async () => {
    await using store = await newDb(kind)
    const good = generation()
    await assert.rejects(writeGenerations(store, [good, generation({ createdAt: Number.NaN })]))
    assert.equal(await requestsInParts(store.db), 0)
    await writeGenerations(store, [good])
    const broken: Db = {
      ...store.db,
      exclusively: (name, work) =>
        store.db.exclusively(name, async (tx, publish) => {
          await work(tx, publish)
          throw new Error('the transaction was broken off')
        }),
    }
    await assert.rejects(mergeBatches({ db: broken }), /broken off/)
    assert.equal(await requestsInParts(store.db), 1)
    await mergeAll(store.db)
    await assertEqualToRows(store.db)
  })

  test('of older rows are counted once each in slices, also after an interruption', async () => {
    await using store = await newDb(kind)
    const chance = new Seeded(5)
    await writeGenerations(store, someRequests(chance, 150))
    await makePast(store.db, at + dayMs)
    const later = someRequests(chance, 40)
    await writeGenerations(store, later)
    const deps = { db: store.db, now: () => at + 2 * dayMs }
    const broken = { ...store.db, exclusively: () => Promise.reject(new Error('gone')) }
    let slices = 0
    while (await backfillRollups(deps, 20)) {
      await assert.rejects(backfillRollups({ ...deps, db: broken }, 20), /gone/)
      slices++
    }
    assert.ok(slices >= 7, `${slices} slices`)
    assert.equal(await backfillRollups(deps, 20), false)
    await mergeAll(store.db)
    await assertEqualToRows(store.db)
    assert.deepEqual(await store.db.query.selectFrom('rollup_past').selectAll().execute(), [])
  })

  test('of rows that an older server writes are counted when they are settled', async () => {
    await using store = await newDb(kind)
    const minute = 60_000
    await writeGenerations(store, [generation({ createdAt: at - minute }), generation({ createdAt: at + minute })])
    await makePast(store.db, at + 60 * minute)
    const counted = async (now: number) => {
      while (await backfillRollups({ db: store.db, now: () => now }));
      const response = await storedCells(store.db, 'workspace_cells', grains.day)
      return [...response.values()].map((text) => Number(text.split(' | ')[0]))
    }
    assert.deepEqual(await counted(at), [])
    assert.deepEqual(await counted(at + 10 * minute), [1])
    assert.deepEqual(await counted(at + 30 * minute), [2])
    assert.equal((await store.db.query.selectFrom('rollup_past').selectAll().execute()).length, 1)
    assert.deepEqual(await counted(at + 80 * minute), [2])
    assert.deepEqual(await store.db.query.selectFrom('rollup_past').selectAll().execute(), [])
  })

  test('of minutes are stored for two days, of hours like the rows, of days always', async () => {
    await using store = await newDb(kind)
    const ages = [0, 3, 40]
    await writeGenerations(
      store,
      ages.map((days) => generation({ createdAt: at - days * dayMs })),
    )
    await mergeAll(store.db)
    await pruneCells({ db: store.db, now: () => at }, 30)
    for (const table of ['workspace_cells', 'key_cells'] as const) {
      const counts = Object.values(grains).map(async (grain) => (await storedCells(store.db, table, grain)).size)
      assert.deepEqual(await Promise.all(counts), [1, 2, 3], table)
    }
  })
})

/** As if the previous version had written all rows. */
async function makePast(db: Db, until: number): Promise<void> {
  await db.query.updateTable('generations').set({ rolled_up: rolledUp.no }).execute()
  await db.query.deleteFrom('rollup_parts').execute()
  await db.query.insertInto('rollup_past').values({ id: 1, after_at: 0, after_id: '', until_at: until }).execute()
}
