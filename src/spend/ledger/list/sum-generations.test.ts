import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DisconnectController } from '#platform/async/disconnect-signal.ts'
import { newDb, onEachDatabase } from '#test/harness/database/databases.ts'
import { at, caller, generation } from '#test/harness/records/generations.ts'
import { writeGenerations } from '../../metering/write.ts'
import type { Generation } from '../generation.ts'
import { sumGenerations } from './sum-generations.ts'

/** Requests of two teams, two of them in each millisecond. */
const requests: Generation[] = Array.from({ length: 14 }, (_, index) =>
  generation({
    createdAt: at + Math.floor(index / 2),
    sessionId: index % 3 === 0 ? undefined : `session-${index % 3}`,
    tags: [['team', index % 2 === 0 ? 'ads' : 'search']],
    cost: BigInt(index) * 1_000_000_000_000n,
    outcome: index === 5 ? 'failed' : 'success',
  }),
)

onEachDatabase('sums of requests by group', (kind) => {
  test('slices of any length give the same sums', async () => {
    await using store = await newDb(kind)
    await writeGenerations(store, requests)
    const stays = new DisconnectController()
    const sums = (by: Parameters<typeof sumGenerations>[3], sliceRows?: number, client = stays) =>
      sumGenerations(store, caller, { from: at, to: at + 6 }, by, 10, client, sliceRows)
    for (const group of [{ by: 'session' }, { by: 'tag', name: 'team' }] as const) {
      const whole = await sums(group)
      for (const sliceRows of [1, 2, 3, 5, 12, 13]) assert.deepEqual(await sums(group, sliceRows), whole)
    }
    const [first, second] = await sums({ by: 'tag', name: 'team' }, 3)
    assert.deepEqual(first, {
      value: 'search',
      requests: 6,
      failed: 1,
      cost: 36,
      unconfirmed: 0,
      firstAt: at,
      lastAt: at + 5,
    })
    assert.deepEqual([second?.value, second?.requests, second?.cost], ['ads', 6, 30])
    assert.deepEqual(await sums({ by: 'tag', name: 'other' }, 3), [])
    const disconnected = new DisconnectController()
    disconnected.abort()
    await assert.rejects(sums({ by: 'session' }, 1, disconnected), { kind: 'client_closed_request' })
  })
})
