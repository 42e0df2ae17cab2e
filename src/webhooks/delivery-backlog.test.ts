import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bootstrap } from '#identity/accounts/bootstrap.ts'
import { createVault } from '#identity/provider-keys/vault.ts'
import { newUuid } from '#platform/core/id.ts'
import { createLocalClock } from '#platform/db/clock.ts'
import { newDb, onEachDatabase } from '#test/harness/database/databases.ts'
import { until } from '#test/harness/until.ts'
import { queueTest } from './delivery.ts'
import { createBacklogReader, readBacklog } from './delivery-backlog.ts'
import { changeWebhook, createWebhook } from './webhooks.ts'

const none = { waiting: 0, oldestMs: 0 }

onEachDatabase('undelivered events', (kind) => {
  test('are counted with the age of the oldest, separately for retries', async () => {
    await using w = await world(kind)
    assert.deepEqual(await readBacklog(w.deps), { first: none, retries: none })
    const { id } = await w.queue()
    w.time.now += 7_000
    await w.queue()
    assert.deepEqual(await readBacklog(w.deps), { first: { waiting: 2, oldestMs: 7_000 }, retries: none })
    await w.deps.db.query.updateTable('webhook_deliveries').set({ attempts: 1 }).where('id', '=', id).execute()
    const [first, retries] = [none, none].map((one) => ({ ...one, waiting: 1 }))
    assert.deepEqual(await readBacklog(w.deps), { first, retries: { ...retries, oldestMs: 7_000 } })
    await w.deps.db.query.updateTable('webhook_deliveries').set({ state: 'delivered' }).execute()
    assert.deepEqual(await readBacklog(w.deps), { first: none, retries: none })
  })

  test('of a disabled webhook are not counted', async () => {
    await using w = await world(kind)
    await w.queue()
    await w.disable()
    assert.deepEqual(await readBacklog(w.deps), { first: none, retries: none })
  })

  test('are read once and cached', async () => {
    await using w = await world(kind)
    await w.queue()
    const backlog = createBacklogReader(w.deps)
    assert.deepEqual(backlog(), { first: none, retries: none })
    await until(() => backlog().first.waiting === 1)
  })
})

async function world(kind: 'sqlite' | 'postgres') {
  const store = await newDb(kind)
  const time = { now: Date.parse('2026-11-01T00:00:00Z') }
  const now = () => time.now
  const config = { webhook_origins: ['https://hooks.example.com'], public_url: undefined }
  const vault = createVault(Buffer.alloc(32))
  const deps = { db: store.db, now, newId: newUuid, vault, config, clock: createLocalClock(now) }
  await bootstrap(deps)
  const at = await deps.db.query.selectFrom('workspaces').selectAll().executeTakeFirstOrThrow()
  const caller = {
    organizationId: at.organization_id,
    workspaceId: at.id,
    userId: at.created_by,
    keyHash: 'k',
  } as never
  const { webhook } = await createWebhook(deps, caller, { url: 'https://hooks.example.com/' })
  return {
    deps,
    time,
    queue: async () => {
      const queued = await queueTest(deps, webhook)
      // A delivery that was queued by the database's clock, sent by a sender whose clock the test sets.
      const created = deps.db.query.updateTable('webhook_deliveries').set({ created_at: time.now })
      await created.where('id', '=', queued.id).execute()
      return queued
    },
    disable: () => changeWebhook(deps, caller, webhook.id, { enabled: false }),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  }
}
