import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bootstrap } from '#identity/accounts/bootstrap.ts'
import { newUuid } from '#platform/core/id.ts'
import { newDb, onEachDatabase } from '#test/harness/database/databases.ts'
import { caller as anyCaller, generation } from '#test/harness/records/generations.ts'
import { listActivity } from '../ledger/spending/activity.ts'
import { writeGenerations } from '../metering/write.ts'
import { releaseMatching } from './release.ts'

onEachDatabase('a release of unconfirmed amounts', (kind) => {
  test('does not deadlock with new requests of the same keys, and adds up', async () => {
    await using store = await newDb(kind)
    const deps = { db: store.db, now: Date.now, newId: newUuid }
    await bootstrap(deps)
    const { organization_id: organizationId } = await store.db.query
      .selectFrom('workspaces')
      .selectAll()
      .executeTakeFirstOrThrow()
    const caller = { ...anyCaller, organizationId, keyKind: 'management' as const }
    const keys = ['key1', 'key2', 'key3', 'key4']
    const ofKeys = (margin: bigint) =>
      keys.map((keyHash) => generation({ id: newUuid(), caller: { ...caller, keyHash }, margin }))
    await writeGenerations(store, Array.from({ length: 100 }, () => ofKeys(1n)).flat())
    let hasEnded = false
    let written = 0
    const writeUntilEnd = async () => {
      for (; !hasEnded; written++) await writeGenerations(store, ofKeys(0n))
    }
    const writing = Promise.all([writeUntilEnd(), writeUntilEnd()])
    const released = await releaseMatching(deps, caller, {}).finally(() => {
      hasEnded = true
    })
    await writing
    assert.deepEqual(released, { requests: 400, amount: 400n })
    const by = new Set(['key'] as const)
    const activity = await listActivity(store, { organizationId, fromDay: 0, toDay: 99_999, by })
    assert.deepEqual(
      activity.map(({ keyHash, requests, unconfirmedUsd }) => [keyHash, requests, unconfirmedUsd]),
      keys.map((key) => [key, 100 + written, 0]),
    )
  })
})
