import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bootstrap } from '#identity/accounts/bootstrap.ts'
import { changeKey, createKey, deleteKey } from '#identity/accounts/keys/keys.ts'
import { createVault } from '#identity/provider-keys/vault.ts'
import { newUuid } from '#platform/core/id.ts'
import { parsePicoUsd } from '#platform/core/pico-usd.ts'
import { createLocalClock } from '#platform/db/clock.ts'
import type { Db } from '#platform/db/db.ts'
import { newDb, onEachDatabase } from '#test/harness/database/databases.ts'
import { toReadableEvent } from '#webhooks/readable-event.ts'
import { createWebhook } from '#webhooks/webhooks.ts'
import type { Grouping } from '../ledger/request-group.ts'
import { groupAccountPrefix } from './account-id.ts'
import { type Budget, periodOf } from './budget.ts'
import { keyBudget } from './key-budget.ts'
import { exchangeLease, type LeaseReport } from './leases/lease-exchange.ts'
import { deleteSpending } from './rows/spending-rows.ts'
import { thresholdOwner, writeThresholds } from './thresholds.ts'

const usd = (amount: number) => parsePicoUsd(amount.toFixed(12))
const monthly = 'monthly' as const

onEachDatabase('notifications of a limit', (kind) => {
  test('are sent once for each threshold, although two servers cross it at the same time', async () => {
    await using w = await world(kind)
    const race = async (server: string) => {
      for (let spent = 0.5; spent <= 6; spent += 0.5) await w.spend(server, spent)
    }
    await Promise.all([race('a'), race('b')])
    const notifications = await w.notifications()
    assert.deepEqual(
      notifications.map(({ type, data }) => [type, data.percent]),
      [
        ['limit.nearly_spent', 80],
        ['limit.spent', 100],
      ],
    )
    const { spent_usd, remaining_usd, key_hash, ...data } = notifications[0].data
    assert.deepEqual([spent_usd >= 8 && spent_usd < 10, remaining_usd], [true, 10 - spent_usd])
    assert.equal(key_hash, w.budget.id.slice(4))
    assert.deepEqual(
      { limit_of: data.limit_of, key_name: data.key_name, limit_usd: data.limit_usd, resets_at: data.resets_at },
      { limit_of: 'key', key_name: 'desk', limit_usd: 10, resets_at: '2026-12-01T00:00:00.000Z' },
    )
  })

  test('are sent for both thresholds if one report crosses both, and for none below 80 %', async () => {
    await using w = await world(kind)
    await w.spend('a', 7.99)
    assert.deepEqual(await w.notifications(), [])
    await w.spend('a', 10)
    assert.deepEqual(await w.types(), ['limit.nearly_spent', 'limit.spent'])
  })

  test('are 50, 80 and 100 % by default, once each, also with two servers', async () => {
    await using w = await world(kind)
    await w.setThresholds(null)
    await w.spend('a', 10)
    const percents = async () => (await w.notifications()).map(({ data }) => data.percent).toSorted((a, b) => a - b)
    assert.deepEqual(await percents(), [50, 80, 100])
    await w.setThresholds([75, 10, 10, 33])
    w.time.now = Date.parse('2026-12-02T00:00:00Z')
    await w.spend('a', 0)
    await Promise.all([w.spend('a', 2), w.spend('b', 2)])
    await Promise.all([w.spend('a', 4), w.spend('b', 4)])
    assert.deepEqual(await percents(), [10, 33, 50, 75, 80, 100])
    await w.setThresholds([])
    w.time.now = Date.parse('2027-01-02T00:00:00Z')
    await w.spend('a', 0)
    await w.spend('a', 10)
    assert.equal((await percents()).length, 6)
  })

  test('is sent again when its transaction was rolled back', async () => {
    await using w = await world(kind)
    const undone: Db = {
      ...w.db,
      exclusively: (name, work) =>
        w.db.exclusively(name, async (tx, publish) => {
          await work(tx, publish)
          throw new Error('undone')
        }),
    }
    await assert.rejects(w.spend('a', 9, {}, undone), /undone/)
    assert.deepEqual(await w.notifications(), [])
    await w.spend('a', 9)
    await w.spend('a', 9)
    assert.deepEqual(await w.types(), ['limit.nearly_spent'])
  })

  test('are 100 % when a request is refused above 80 %, and none below', async () => {
    await using w = await world(kind)
    await w.spend('a', 2, { need: usd(9), totalNeed: usd(9) })
    assert.deepEqual(await w.notifications(), [])
    await w.spend('a', 8.5, { need: usd(1), totalNeed: usd(1) })
    await w.spend('a', 8.5, { held: usd(1), need: usd(1.2), totalNeed: usd(1.2) })
    assert.deepEqual(await w.types(), ['limit.nearly_spent'])
    await w.spend('a', 8.5, { held: usd(1), need: usd(1.6), totalNeed: usd(1.6) })
    assert.deepEqual(await w.types(), ['limit.nearly_spent', 'limit.spent'])
  })

  test('counts spending that the ledger does not have yet', async () => {
    await using w = await world(kind)
    await w.spend('a', 7, { held: usd(2), unwritten: usd(1.5), need: usd(1.6), totalNeed: usd(1.6) })
    assert.deepEqual(await w.types(), ['limit.nearly_spent', 'limit.spent'])
    assert.equal((await w.notifications())[0].data.spent_usd, 8.5)
  })

  test('of a session or tag value name it, by the limit of its guardrail', async () => {
    await using w = await world(kind)
    const limit = { limit_usd: 10, reset_interval: 'monthly' }
    const limits = [
      { by: 'session', tag_name: null, ...limit },
      { by: 'tag', tag_name: 'customer', ...limit, limit_usd: 20 },
    ]
    await w.addGuardrail({ group_limits: limits })
    for (const [grouping, value] of [
      [{ by: 'session' }, 's 1'],
      [{ by: 'tag', name: 'customer' }, 'acme'],
      [{ by: 'tag', name: 'removed' }, 'acme'],
    ] as [Grouping, string][]) {
      const group = { kind: 'group' as const, guardrailId: 'g', workspaceId: 'w', createdAt: 0, isDefault: true }
      w.budget.id = groupAccountPrefix('g', grouping) + value
      w.budget.subject = { ...group, grouping, value }
      await w.spend('a', 0)
      await w.spend('a', 17)
    }
    const events = await w.notifications()
    assert.deepEqual(
      events.map(({ data }) => [
        data.limit_usd,
        data.layer,
        data.guardrail_id,
        data.session_id ?? data.tag_value,
        data.percent,
      ]),
      [
        [10, 'session', 'g', 's 1', 50],
        [10, 'session', 'g', 's 1', 80],
        [10, 'session', 'g', 's 1', 100],
        [20, 'tag', 'g', 'acme', 50],
        [20, 'tag', 'g', 'acme', 80],
      ],
    )
    const titles = events.map((payload) => toReadableEvent(JSON.stringify(payload)).title)
    assert.equal(titles[1], '80 % of the limit of the session "s 1" (10 USD monthly) is spent')
    assert.equal(titles[4], '80 % of the limit of the tag customer "acme" (20 USD monthly) is spent')
  })

  test('start again with each period and a raised limit, not with a lowered one', async () => {
    await using w = await world(kind)
    await w.spend('a', 9)
    await w.change({ limit: 11 })
    await w.spend('a', 9)
    await w.change({ limit: 10 })
    await w.spend('a', 9)
    assert.deepEqual(await w.limits(), [10, 11])
    w.time.now = Date.parse('2026-12-02T00:00:00Z')
    w.ledger.usd = 9
    await w.spend('a', 0)
    assert.deepEqual(await w.limits(), [10, 11, 10])
  })

  test('are not repeated after deletion of a delivery, nor sent to a later webhook', async () => {
    await using w = await world(kind)
    await w.spend('a', 9)
    await w.db.query.deleteFrom('webhook_deliveries').execute()
    await w.addWebhook()
    await w.spend('b', 0.5)
    assert.deepEqual(await w.notifications(), [])
  })

  test('are sent once in a period, even if its account was restarted', async () => {
    await using w = await world(kind)
    await w.spend('a', 9)
    await w.db.exclusively('test', (tx) => deleteSpending(tx, w.budget.id))
    w.ledger.usd = 9
    await w.spend('b', 0)
    assert.deepEqual(await w.types(), ['limit.nearly_spent'])
  })

  test('is by the limit that the database has, where a server knows an older one', async () => {
    await using w = await world(kind)
    await w.change({ limit: 100 })
    w.budget.limit = usd(10)
    await w.spend('a', 9)
    assert.deepEqual(await w.notifications(), [])
    await w.spend('a', 90)
    assert.deepEqual(await w.limits(), [100])
  })

  test('are none for a deleted limit, nor for one of an intern session', async () => {
    await using w = await world(kind)
    const { subject } = w.budget
    w.budget.subject = { kind: 'session', internId: 'i', sessionId: 's' }
    await w.spend('a', 8.5)
    w.budget.subject = subject
    await w.change({ limit: null })
    await w.spend('a', 9)
    await w.remove()
    await w.spend('a', 9.5)
    assert.deepEqual(await w.notifications(), [])
  })
})

async function world(kind: 'sqlite' | 'postgres') {
  const store = await newDb(kind)
  const time = { now: Date.parse('2026-11-20T00:00:00Z') }
  const now = () => time.now
  const config = { webhook_origins: ['https://hooks.example.com'], public_url: undefined }
  const deps = { db: store.db, now, newId: newUuid, vault: createVault(Buffer.alloc(32)), config, deleteSpending }
  await bootstrap(deps)
  const at = await store.db.query.selectFrom('workspaces').selectAll().executeTakeFirstOrThrow()
  const caller = {
    organizationId: at.organization_id,
    workspaceId: at.id,
    userId: at.created_by,
    keyHash: 'k',
    access: 'owner',
  } as never
  const limited = { limit: 10, limit_reset: monthly, include_byok_in_limit: false }
  const { key } = await createKey(deps, caller, { name: 'desk', kind: 'api', ...limited })
  const { hash } = key
  const addWebhook = () => createWebhook(deps, caller, { url: 'https://hooks.example.com/' })
  await addWebhook()
  const keyLimit = keyBudget(hash, { usd: 10, reset: monthly, includesByok: false })
  const budget: Budget = { ...keyLimit }
  const notifications = async () => {
    const rows = await store.db.query
      .selectFrom('webhook_deliveries')
      .select('payload')
      .orderBy('created_at')
      .orderBy('event')
      .execute()
    return rows.map(({ payload }) => JSON.parse(payload))
  }
  const ledger = { usd: 0 }
  const spend = (server: string, spent: number, more: Partial<LeaseReport> = {}, db = store.db) => {
    // So that the order of events is defined.
    time.now++
    const total = usd(spent)
    const period = periodOf(budget, now())
    const report = { server, period, total, confirmed: 0n, held: 0n, unwritten: 0n, need: 0n, totalNeed: 0n, ...more }
    const earlier = { waitUntilReported: async () => {}, readLedger: async () => usd(ledger.usd) }
    return exchangeLease({ db, clock: createLocalClock(now) }, { ...budget }, () => report, earlier)
  }
  const owner = thresholdOwner(keyLimit.subject)
  const setThresholds = (thresholds: number[] | null) =>
    store.db.exclusively('test', (tx) => writeThresholds(tx, caller, owner, thresholds, now()))
  await setThresholds([80, 100])
  // Opens its account.
  await spend('a', 0)
  return {
    db: store.db,
    time,
    budget,
    notifications,
    ledger,
    addWebhook,
    setThresholds,
    /** A server reports its total spending. */
    spend,
    addGuardrail: (policy: object) =>
      store.db.query
        .insertInto('guardrails')
        .values({
          id: 'g',
          workspace_id: at.id,
          name: 'House',
          description: null,
          policy: JSON.stringify(policy),
          created_at: 0,
          updated_at: 0,
        })
        .execute(),
    types: async () => (await notifications()).map(({ type }) => type),
    limits: async () => (await notifications()).map(({ data }) => data.limit_usd),
    change: async (patch: { limit: number | null }) => {
      await changeKey(deps, caller, hash, patch)
      if (patch.limit !== null) budget.limit = usd(patch.limit)
    },
    remove: () => deleteKey(deps, caller, hash),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  }
}
