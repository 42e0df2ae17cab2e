import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bootstrap } from '#identity/accounts/bootstrap.ts'
import { newUuid } from '#platform/core/id.ts'
import { maxStorable } from '#platform/core/pico-usd.ts'
import { newDb, onEachDatabase } from '#test/harness/database/databases.ts'
import { caller, generation } from '#test/harness/records/generations.ts'
import { writeGenerations } from '../../metering/write.ts'
import { keysByUsedLimit } from './key-limits.ts'

onEachDatabase('keys by the used part of their limits', (kind) => {
  test('are listed when their spending is at the maximum of its column', async () => {
    await using store = await newDb(kind)
    const deps = { db: store.db, now: Date.now, newId: newUuid }
    await bootstrap(deps)
    const { db } = store
    await db.query.updateTable('api_keys').set({ limit_usd: 100 }).execute()
    const keys = await db.query.selectFrom('api_keys').selectAll().orderBy('hash').execute()
    const [{ organization_id: organizationId }] = keys as [(typeof keys)[0]]
    const last = keys.at(-1)!.hash
    const spent = { caller: { ...caller, organizationId, keyHash: last }, createdAt: deps.now() }
    await writeGenerations(store, [generation({ ...spent, cost: maxStorable, margin: 1n })])
    const scope = { organizationId, workspaceId: undefined, creatorUserId: undefined }
    const { hashes, total } = await keysByUsedLimit(deps, scope, { offset: 0, limit: 1 })
    assert.deepEqual([hashes, total], [[last], keys.length])
  })
})
