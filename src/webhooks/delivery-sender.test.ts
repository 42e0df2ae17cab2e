import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bootstrap } from '#identity/accounts/bootstrap.ts'
import { createVault } from '#identity/provider-keys/vault.ts'
import { newUuid } from '#platform/core/id.ts'
import { createLocalClock } from '#platform/db/clock.ts'
import { newDb, onEachDatabase } from '#test/harness/database/databases.ts'
import { startReceiver, verified } from '#test/harness/service/receiver.ts'
import { until } from '#test/harness/until.ts'
import { claimDeliveries } from './claim-deliveries.ts'
import { listDeliveries, queueTest, retryDelivery } from './delivery.ts'
import { recordFailure, recordSuccess } from './delivery-queue.ts'
import { retrySeconds, type SenderDeps, startSender } from './delivery-sender.ts'
import { changeWebhook, createWebhook, getWebhook, listWebhooks, rotateSecret } from './webhooks.ts'

const day = 86_400_000

/** A store with one webhook, a clock that the test sets, and senders. */
async function world(kind: 'sqlite' | 'postgres', { origin, url }: { origin: string; url: string }) {
  const store = await newDb(kind)
  const time = { now: Date.parse('2026-11-01T00:00:00Z') }
  const { db } = store
  const config = { webhook_origins: [origin], public_url: undefined }
  const deps = { db, now: () => time.now, newId: newUuid, vault: createVault(Buffer.alloc(32)), config }
  await bootstrap(deps)
  const at = await db.query.selectFrom('workspaces').selectAll().executeTakeFirstOrThrow()
  const caller = {
    organizationId: at.organization_id,
    workspaceId: at.id,
    userId: at.created_by,
    keyHash: 'k',
  } as never
  const { webhook, secret } = await createWebhook(deps, caller, { url })
  const observed: string[] = []
  const senders: (() => Promise<void>)[] = []
  const begin = (more: Partial<SenderDeps> = {}) => {
    const log = { info: () => {}, warn: () => {} } as unknown as SenderDeps['log']
    const end = startSender(
      {
        ...deps,
        clock: createLocalClock(deps.now),
        server: newUuid(),
        log,
        createLink: () => undefined,
        onError: assert.fail,
        observe: (outcome) => void observed.push(outcome),
        ...more,
      },
      { pollMs: 10 },
    )
    senders.push(end)
    return end
  }
  const current = () =>
    getWebhook(deps, { organizationId: at.organization_id, workspaceId: '', isWorkspaceScoped: false }, webhook.id)
  return {
    deps,
    db,
    caller,
    secret,
    time,
    begin,
    observed,
    current,
    test: async () => queueTest(deps, await current()),
    deliveries: async () => (await listDeliveries({ db }, webhook.id, { offset: 0, limit: 100 })).data,
    async [Symbol.asyncDispose]() {
      await Promise.all(senders.map((end) => end()))
      await store[Symbol.asyncDispose]()
    },
  }
}

onEachDatabase('a sender of webhooks', (kind) => {
  test('tries again later each time, under the same id, until it is taken', async () => {
    await using receiver = await startReceiver((response, at) => response.writeHead(at < 4 ? 503 : 200).end())
    await using w = await world(kind, receiver)
    w.begin()
    const { id } = await w.test()
    for (const [at, seconds] of retrySeconds.slice(0, 3).entries()) {
      await until(() => w.observed.length === at + 1)
      w.time.now += seconds * 1000 * 1.2
    }
    await until(() => w.observed.length === 4)
    assert.deepEqual(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])), new Set([id]))
    const [delivery] = await w.deliveries()
    assert.deepEqual([delivery?.state, delivery?.attempts, delivery?.last_status], ['delivered', 4, 200])
  })

  test('waits as long as an overloaded receiver requests, at most 12 hours', async () => {
    const start = Date.parse('2026-11-01T00:00:00Z')
    const requested = { '90': 90, 'Sun, 01 Nov 2026 01:00:00 GMT': 3600, '9000000': 43_200, soon: 6 }
    for (const [header, seconds] of Object.entries(requested)) {
      await using receiver = await startReceiver((response) => response.writeHead(429, { 'retry-after': header }).end())
      await using w = await world(kind, receiver)
      w.begin()
      await w.test()
      await until(() => w.observed.length === 1)
      const [delivery] = await w.deliveries()
      const waitedMs = Date.parse(delivery!.next_attempt_at!) - start
      if (header === 'soon') assert.ok(waitedMs >= 5000 && waitedMs <= seconds * 1000, String(waitedMs))
      else assert.equal(waitedMs, seconds * 1000)
    }
  })

  test('gives up after the last of them, and sends once more on demand', async () => {
    await using receiver = await startReceiver((response) => response.writeHead(500).end())
    await using w = await world(kind, receiver)
    w.begin()
    const { id } = await w.test()
    for (const at of [...retrySeconds.keys(), retrySeconds.length]) {
      await until(() => w.observed.length === at + 1)
      w.time.now += (retrySeconds[at] ?? 0) * 1200
    }
    assert.equal(w.observed.at(-1), 'failed')
    const [delivery] = await w.deliveries()
    assert.deepEqual([delivery?.state, delivery?.last_error], ['failed', 'returned the status 500'])
    await retryDelivery(w.deps, await w.current(), id)
    await until(() => w.observed.length === retrySeconds.length + 2)
  })

  test('disables a webhook that failed for days, with reason and audit event', async () => {
    for (const [status, reason] of [
      [500, /^All deliveries failed for 5 days; the last error: returned the status 500\.$/],
      [410, /answered 410/],
    ] as const) {
      await using receiver = await startReceiver((response) => response.writeHead(status).end())
      await using w = await world(kind, receiver)
      w.begin()
      await w.test()
      await until(() => w.observed.length > 0)
      w.time.now += 5 * day
      if (status === 500) await w.test()
      const disabled = await until(async () => {
        const webhook = await w.current()
        return !webhook.enabled && webhook
      })
      assert.match(disabled.disabled_reason!, reason)
      const auditEvents = w.db.query.selectFrom('audit_events').where('action', '=', 'webhook.disabled_by_service')
      assert.equal((await auditEvents.selectAll().execute()).length, 1)
      await assert.rejects(w.test(), /is disabled; enable it first/)
      const enabled = await changeWebhook(w.deps, w.caller, disabled.id, { enabled: true })
      assert.deepEqual([enabled.enabled, enabled.disabled_reason, enabled.failing_since], [true, null, null])
    }
  })

  test('does not change the webhook after another server has claimed the delivery', async () => {
    await using receiver = await startReceiver()
    await using w = await world(kind, receiver)
    const servers = ['one', 'another'].map((server) => ({ ...w.deps, clock: createLocalClock(w.deps.now), server }))
    const [one, another] = servers as [(typeof servers)[0], (typeof servers)[0]]
    const claim = { total: 1, perWebhook: 1, failing: 1, busyWebhooks: [] }
    await w.test()
    const [late] = await claimDeliveries(one, claim)
    w.time.now += 61_000
    const [current] = await claimDeliveries(another, claim)
    const failed = { status: 410, error: 'gone', retryInMs: undefined, isGone: true }
    assert.equal(await recordFailure(one, late!, failed), undefined)
    assert.deepEqual([(await w.current()).enabled, (await w.current()).failing_since], [true, null])
    await recordFailure(another, current!, { ...failed, status: 500, retryInMs: 1, isGone: false })
    await recordSuccess(one, late!, 200)
    assert.notEqual((await w.current()).failing_since, null)
  })

  test('does not blame a new address for the answer of the old one', async () => {
    const changed = Promise.withResolvers<void>()
    await using receiver = await startReceiver(async (response, at) => {
      if (at > 1) return response.writeHead(204).end()
      await changed.promise
      return response.writeHead(410).end()
    })
    await using w = await world(kind, receiver)
    w.begin()
    await w.test()
    await until(() => receiver.received.length === 1)
    const { id } = await w.current()
    await changeWebhook(w.deps, w.caller, id, { url: `${receiver.origin}/new` })
    changed.resolve()
    await until(() => w.observed.length === 1)
    const { enabled, failing_since } = await w.current()
    assert.deepEqual([enabled, failing_since], [true, null])
  })

  test('counts failures of a new address from its first one', async () => {
    await using receiver = await startReceiver((response) => response.writeHead(500).end())
    await using w = await world(kind, receiver)
    w.begin()
    await w.test()
    await until(() => w.observed.length === 1)
    const { id, failing_since } = await w.current()
    assert.ok(failing_since)
    assert.ok((await changeWebhook(w.deps, w.caller, id, { description: 'the same address' })).failing_since)
    assert.equal((await changeWebhook(w.deps, w.caller, id, { url: `${receiver.origin}/new` })).failing_since, null)
  })

  test('counts an attempt without encryption key like any other, and reports it', async () => {
    await using receiver = await startReceiver()
    await using w = await world(kind, receiver)
    const vault = createVault(Buffer.alloc(32, 1))
    w.begin({ vault })
    await w.test()
    await until(() => w.observed.length > 0)
    const [delivery] = await w.deliveries()
    assert.deepEqual([w.observed[0], delivery?.attempts, delivery?.state], ['retried', 1, 'pending'])
    assert.match(delivery!.last_error!, /^its secret cannot be read with the encryption key of this server/)
    assert.deepEqual(receiver.received, [])
    await rotateSecret({ ...w.deps, vault }, w.caller, (await w.current()).id, 1)
    await w.test()
    await until(() => w.observed.includes('delivered'))
  })

  test('signs with both secrets while they overlap, and then with the new one', async () => {
    await using receiver = await startReceiver()
    await using w = await world(kind, receiver)
    w.time.now = Date.now()
    w.begin()
    const { webhook, secret } = await rotateSecret(w.deps, w.caller, (await w.current()).id, 1)
    assert.ok(webhook.old_secret_until)
    await w.test()
    const both = await until(() => receiver.received[0] ?? false)
    for (const one of [w.secret, secret]) assert.equal(verified(one, both).type, 'webhook.test')
    await rotateSecret(w.deps, w.caller, webhook.id, 0)
    await w.test()
    const later = await until(() => receiver.received[1] ?? false)
    for (const one of [w.secret, secret]) assert.throws(() => verified(one, later))
  })

  test('that died leaves its claims to the next after a minute', async () => {
    const never = Promise.withResolvers<void>()
    await using receiver = await startReceiver((response, at) =>
      at === 1 ? never.promise : response.writeHead(200).end(),
    )
    await using w = await world(kind, receiver)
    // It never records the outcome, like a killed server.
    w.begin({ vault: { ...w.deps.vault, open: () => null as never }, onError: () => {} })
    await w.test()
    await until(
      async () => (await w.db.query.selectFrom('webhook_deliveries').select('claimed_by').execute())[0]?.claimed_by,
    )
    w.begin()
    w.time.now += 59_000
    await new Promise((resolve) => setTimeout(resolve, 200))
    assert.equal(receiver.received.length, 0)
    // The killed sender still runs in this test, and can claim the delivery again for a minute.
    await until(async () => {
      w.time.now += 61_000
      await new Promise((resolve) => setTimeout(resolve, 200))
      return receiver.received.length > 0
    })
    never.resolve()
  })

  test('has room for working receivers, however many fail', async () => {
    await using receiver = await startReceiver()
    await using silent = await startReceiver(() => {})
    await using w = await world(kind, receiver)
    w.deps.config.webhook_origins.push(silent.origin)
    for (let n = 0; n < 12; n++) {
      const { webhook } = await createWebhook(w.deps, w.caller, { url: silent.url })
      for (let m = 0; m < 4; m++) await queueTest(w.deps, webhook)
      await w.db.query.updateTable('webhooks').set({ failing_since: 1 }).where('id', '=', webhook.id).execute()
    }
    w.begin()
    await until(() => silent.received.length >= 8)
    for (let n = 0; n < 20; n++) await w.test()
    await until(() => receiver.received.length === 20)
    assert.equal(silent.received.length, 8)
  })

  test('passes no webhook over for good, however many others have something due', async () => {
    await using receiver = await startReceiver()
    await using w = await world(kind, receiver)
    const claim = { total: 1, perWebhook: 1, failing: 0, busyWebhooks: [] }
    for (let n = 0; n < 9; n++) await createWebhook(w.deps, w.caller, { url: receiver.url })
    const { data: hooks } = await listWebhooks(w.deps, w.caller, { offset: 0, limit: 10 })
    for (const hook of hooks) for (let n = 0; n < 40; n++) await queueTest(w.deps, hook)
    const queue = { ...w.deps, clock: createLocalClock(w.deps.now), server: 'test' }
    const seen = new Set<string>()
    for (let n = 0; n < 200 && seen.size < 10; n++)
      for (const { webhookId } of await claimDeliveries(queue, claim)) seen.add(webhookId)
    assert.equal(seen.size, 10)
  })

  test('sends each delivery once with several senders', async () => {
    await using receiver = await startReceiver()
    await using w = await world(kind, receiver)
    for (let n = 0; n < 4; n++) w.begin()
    for (let n = 0; n < 40; n++) await w.test()
    await until(() => w.observed.length === 40)
    const ids = receiver.received.map(({ headers }) => headers['webhook-id'])
    assert.deepEqual([ids.length, new Set(ids).size], [40, 40])
  })
})
