import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { newUuid } from '#platform/core/id.ts'
import type { Db, Query } from '#platform/db/db.ts'
import { rolledUp } from '#platform/db/tables/ledger-tables.ts'
import { newDb, onEachDatabase } from '#test/harness/database/databases.ts'
import { at, caller, generation } from '#test/harness/records/generations.ts'
import { mergeAll, recomputedCells, storedCells } from '#test/harness/records/rollups.ts'
import { Seeded } from '#test/harness/service/world/seeded.ts'
import type { Generation } from '../ledger/generation.ts'
import { type Ledger, openLedger } from '../metering/ledger.ts'
import { openSpill } from '../metering/spill.ts'
import { writeGenerations } from '../metering/write.ts'
import { backfillRollups } from './backfill.ts'
import { cellTables, grainsOf } from './cell-tables.ts'
import { mergeBatches } from './merge-batches.ts'

/** HISTORIES=200 for the long run; SEED=7 HISTORIES=1 to repeat a failure. */
const histories = Number(process.env.HISTORIES ?? 3)
const firstSeed = Number(process.env.SEED ?? 1)

type Trouble = { state: 'well' | 'away' | 'losing' }

/** A connection to the database that loses statements, or the responses to executed statements. */
function troubled(db: Db, trouble: Trouble): Db {
  const lost = async <T>(work: Promise<T>): Promise<T> => {
    const done = await work
    if (trouble.state === 'losing') throw new Error('the response was lost')
    return done
  }
  const query = new Proxy(db.query, {
    get(target, name) {
      if (trouble.state === 'away') throw new Error('the database is away')
      if (name === 'executeQuery') return (...args: [never]) => lost(target.executeQuery(...args))
      if (name === 'transaction') {
        return () => ({ execute: (work: never) => lost(target.transaction().execute(work)) })
      }
      const value = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  }) as Query
  return { ...db, query, exclusively: (name, work) => lost(db.exclusively(name, work)) }
}

type Server = { ledger: Ledger; trouble: Trouble; db: Db }

/** Two servers with separate folders for rows that cannot be written. */
class World {
  readonly servers: Server[] = []
  readonly recorded: Generation[] = []
  readonly #folder = mkdtempSync(join(tmpdir(), 'signalbox-rollups-'))
  readonly #db: Db
  readonly chance: Seeded

  constructor(db: Db, chance: Seeded) {
    this.#db = db
    this.chance = chance
  }

  /**
   * The state after `kill -9`, if a server ran before: its memory is lost, and statements in transit may still arrive.
   */
  async start(which: number): Promise<void> {
    const before = this.servers[which]
    if (before) before.trouble.state = 'away'
    const trouble: Trouble = { state: 'well' }
    const db = troubled(this.#db, trouble)
    const folder = join(this.#folder, String(which))
    const spill = await openSpill({ folder, maxBytes: 1e9, now: Date.now, newId: newUuid })
    const quiet = { onError: () => {}, onRejected: assert.ifError, onLost: () => {} }
    const rhythm = { everyMs: 2, spillAfterMs: 5, closeMs: 2000, maxBatchRows: 15 }
    this.servers[which] = { ledger: openLedger({ db, spill, ...quiet }, rhythm), trouble, db }
  }

  record(): void {
    const { chance } = this
    const server = chance.pick(this.servers)
    for (let remaining = chance.between(1, 12); remaining > 0; remaining--) {
      const one = generation({
        id: newUuid(),
        caller: { ...caller, keyHash: `key${chance.between(0, 3)}` },
        createdAt: at + chance.between(0, 7_200_000),
        cost: BigInt(chance.between(0, 1e9)),
        latencyMs: chance.next() * 1000,
        durationMs: 1000 + chance.next() * 1000,
      })
      this.recorded.push(one)
      server.ledger.record(one)
    }
  }

  async end(): Promise<void> {
    for (const { trouble } of this.servers) trouble.state = 'well'
    for (const { ledger } of this.servers) await ledger.close()
    await mergeAll(this.#db)
    rmSync(this.#folder, { recursive: true })
  }
}

const events: [weight: number, happen: (world: World) => unknown][] = [
  [10, (world) => world.record()],
  [4, () => sleep(4)],
  [2, (world) => world.start(world.chance.between(0, 1))],
  [3, (world) => set(world, 'away')],
  [3, (world) => set(world, 'losing')],
  [6, (world) => set(world, 'well')],
  [4, (world) => mergeBatches(world.chance.pick(world.servers)).catch(() => {})],
  [2, (world) => Promise.all(world.servers.map((server) => mergeBatches(server).catch(() => {})))],
  [2, (world) => backfillRollups({ ...world.chance.pick(world.servers), now: Date.now }, 5).catch(() => {})],
]

function set(world: World, state: Trouble['state']): void {
  world.chance.pick(world.servers).trouble.state = state
}

onEachDatabase('roll-ups and the ledger', (kind) => {
  test(`are equal after ${histories} histories of two servers with faults`, async () => {
    for (let seed = firstSeed; seed < firstSeed + histories; seed++) {
      await using store = await newDb(kind)
      const world = new World(store.db, new Seeded(seed))
      // Some rows are older than the roll-ups.
      const past = Array.from({ length: 30 }, (_, i) => generation({ id: `past${i}`, createdAt: at - i }))
      await writePast(store.db, past)
      await world.start(0)
      await world.start(1)
      await live(world)
      while (await backfillRollups({ db: store.db, now: Date.now }));
      const written = await store.db.query.selectFrom('generations').select('id').execute()
      assert.ok(written.length > 40, `only ${written.length} of ${world.recorded.length} were written`)
      for (const table of cellTables)
        for (const grain of grainsOf[table])
          assert.deepEqual(
            await storedCells(store.db, table, grain),
            await recomputedCells(store.db, table, grain),
            `SEED=${seed}: ${table}, ${grain} minutes`,
          )
    }
  })
})

async function live(world: World): Promise<void> {
  const all = events.reduce((sum, [weight]) => sum + weight, 0)
  for (let remaining = 80; remaining > 0; remaining--) {
    let place = world.chance.next() * all
    const event = events.find(([weight]) => {
      place -= weight
      return place < 0
    })
    await event![1](world)
  }
  await world.end()
}

/** Rows as written by a server of the previous version. */
async function writePast(db: Db, past: Generation[]): Promise<void> {
  await writeGenerations({ db }, past)
  await db.query.updateTable('generations').set({ rolled_up: rolledUp.no }).execute()
  await db.query.deleteFrom('rollup_parts').execute()
  await db.query
    .insertInto('rollup_past')
    .values({ id: 1, after_at: 0, after_id: '', until_at: at + 1 })
    .execute()
}
