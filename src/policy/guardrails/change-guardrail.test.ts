import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bootstrap } from '#identity/accounts/bootstrap.ts'
import type { Caller } from '#identity/accounts/caller.ts'
import { createWorkspace } from '#identity/accounts/workspaces.ts'
import { Settings } from '#platform/config/settings.ts'
import { newUuid } from '#platform/core/id.ts'
import type { Db } from '#platform/db/db.ts'
import { accountId } from '#spend/budgets/account-id.ts'
import { writeGenerations } from '#spend/metering/write.ts'
import { newDb, onEachDatabase } from '#test/harness/database/databases.ts'
import { generation } from '#test/harness/records/generations.ts'
import { assign, unassign } from './assignments/assignments.ts'
import { changeGuardrail, createGuardrail, deleteGuardrail } from './change-guardrail.ts'
import { getGuardrail } from './read-guardrails.ts'

const modelIds = new Set(['acme/one', 'acme/one-2026'])
const catalogue = {
  current: () => ({
    findModel: (name: string) => (modelIds.has(name) ? { canonicalSlug: 'acme/one-2026' } : undefined),
    findProvider: () => undefined,
  }),
}

async function newStore(kind: 'sqlite' | 'postgres', now = Date.now) {
  const store = await newDb(kind)
  const deps = { db: store.db, now, newId: newUuid, config: Settings.parse({}), catalogue }
  await bootstrap(deps)
  const key = await store.db.query
    .selectFrom('api_keys')
    .selectAll()
    .where('kind', '=', 'api')
    .executeTakeFirstOrThrow()
  const caller: Caller = {
    keyHash: key.hash,
    keyKind: 'management',
    keyName: key.name,
    userId: key.creator_user_id,
    creatorLeft: false,
    organizationId: key.organization_id,
    workspaceId: key.workspace_id,
    internsProgramme: true,
    internsGrant: false,
    spendLimit: null,
    isWorkspaceScoped: false,
  }
  return { deps, caller, [Symbol.asyncDispose]: () => store[Symbol.asyncDispose]() }
}

/** The same database; adds its notifications to `texts`. */
function recordNotifications(db: Db, texts: string[]): Db {
  return {
    ...db,
    exclusively: (name, work) =>
      db.exclusively(name, (tx, publish) =>
        work(tx, (topic, payload) => {
          texts.push(`${topic} ${payload}`)
          publish(topic, payload)
        }),
      ),
  }
}

onEachDatabase('a change of guardrails', (kind) => {
  test('is announced once with its workspace, a refused one is not', async () => {
    await using store = await newStore(kind)
    const { caller } = store
    const texts: string[] = []
    const deps = { ...store.deps, db: recordNotifications(store.deps.db, texts) }
    const { id } = await createGuardrail(deps, caller, { name: 'x' })
    await changeGuardrail(deps, caller, id, { description: 'y' })
    await assign(deps, caller, id, 'key', [caller.keyHash])
    await unassign(deps, caller, id, 'key', [caller.keyHash])
    await deleteGuardrail(deps, caller, id)
    assert.deepEqual(texts, Array(5).fill(`guardrail.changed ${caller.workspaceId}`))
    await assert.rejects(createGuardrail(deps, caller, { name: 'z', reset_interval: 'daily' }), { kind: 'invalid' })
    await assert.rejects(changeGuardrail(deps, caller, id, {}), { kind: 'not_found' })
    assert.equal(texts.length, 5)
  })

  test('updated_at increases even when the clock stands still', async () => {
    await using store = await newStore(kind, () => 1_795_000_000_000)
    const { deps, caller } = store
    const created = await createGuardrail(deps, caller, { name: 'x' })
    const changed = await changeGuardrail(deps, caller, created.id, {})
    assert.ok(changed.updated_at > created.updated_at)
    assert.equal(changed.created_at, created.created_at)
  })

  test('stores the result for models that have left the catalogue since', async () => {
    await using store = await newStore(kind)
    const { deps, caller } = store
    const { id } = await createGuardrail(deps, caller, { name: 'x', allowed_models: ['acme/one'] })
    const emptied = { ...deps, catalogue: { current: () => ({ ...catalogue.current(), findModel: () => undefined }) } }
    const { allowed_models } = await changeGuardrail(emptied, caller, id, { description: 'y' })
    assert.deepEqual(allowed_models, ['acme/one-2026'])
  })
})

const usd = 1_000_000_000_000n

/** Opens the account of a limit without interval, with an amount that servers have counted. */
const openAccount = (db: Db, budget: string, spent_pico: bigint) =>
  db.query.insertInto('budget_periods').values({ budget, period: 0, spent_pico }).execute()

onEachDatabase('the counted spending of a guardrail', (kind) => {
  test('contains what a key spent between two assignments', async () => {
    await using store = await newStore(kind)
    const { deps, caller } = store
    const { keyHash } = caller
    const { id } = await createGuardrail(deps, caller, { name: 'x', limit_usd: 10 })
    await assign(deps, caller, id, 'key', [keyHash])
    await openAccount(deps.db, accountId.guardrail(id, { kind: 'key', hash: keyHash }), 5n * usd)
    await unassign(deps, caller, id, 'key', [keyHash])
    await writeGenerations(deps, [generation({ caller, createdAt: deps.now(), cost: 9n * usd })])
    await assign(deps, caller, id, 'key', [keyHash])
    assert.equal((await getGuardrail(deps, caller, id)).spent_usd, 9)
  })

  test('stays when an unrelated field or another limit changes', async () => {
    await using store = await newStore(kind)
    const { deps, caller } = store
    const group_limits = [{ by: 'tag' as const, tag_name: '100%_off', limit_usd: 2 }]
    const { id } = await createGuardrail(deps, caller, { name: 'x', group_limits })
    await openAccount(deps.db, accountId.group(id, { by: 'tag', name: '100%_off' }, 'v'), 2n * usd)
    await openAccount(deps.db, accountId.group(id, { by: 'tag', name: '100% off' }, 'v'), 1n)
    for (const patch of [
      { name: 'y' },
      { limit_usd: 1 },
      { group_limits: [...group_limits, { by: 'session' as const, limit_usd: 1 }] },
    ]) {
      const { group_spending } = await changeGuardrail(deps, caller, id, patch)
      assert.deepEqual(
        group_spending?.map(({ value, spent_usd }) => [value, spent_usd]),
        [['v', 2]],
      )
    }
  })

  test('is read again when spending on own provider keys starts or ends to count', async () => {
    await using store = await newStore(kind)
    const { deps, caller } = store
    const { keyHash } = caller
    const { id } = await createGuardrail(deps, caller, { name: 'x', limit_usd: 10 })
    await assign(deps, caller, id, 'key', [keyHash])
    const spent = { caller, createdAt: deps.now() }
    await writeGenerations(deps, [
      generation({ ...spent, cost: usd }),
      generation({ ...spent, byok: true, cost: 8n * usd }),
    ])
    for (const [include_byok_in_budgets, expected] of [
      [true, 9],
      [false, 1],
    ] as const) {
      await openAccount(deps.db, accountId.guardrail(id, { kind: 'key', hash: keyHash }), 5n * usd)
      const { spent_usd } = await changeGuardrail(deps, caller, id, { include_byok_in_budgets })
      assert.equal(spent_usd, expected)
    }
  })
})

onEachDatabase('assignments of guardrails', (kind) => {
  test('end with an audit record, although the caller has another workspace', async () => {
    await using store = await newStore(kind)
    const { deps, caller } = store
    const { id: workspace_id } = await createWorkspace(deps, caller, { name: 'Other', slug: 'other' })
    const { id } = await createGuardrail(deps, caller, { name: 'x', workspace_id })
    await assign(deps, caller, id, 'member', [caller.userId])
    await deleteGuardrail(deps, caller, id)
    const rows = await deps.db.query
      .selectFrom('audit_events')
      .where('target_kind', '=', 'assignment')
      .select('action')
      .execute()
    assert.deepEqual(rows.map(({ action }) => action).toSorted(), ['assignment.created', 'assignment.deleted'])
  })

  test('to an unknown key are refused with its position in the request', async () => {
    await using store = await newStore(kind)
    const { deps, caller } = store
    const { id } = await createGuardrail(deps, caller, { name: 'x' })
    const assigned = assign(deps, caller, id, 'key', [caller.keyHash, caller.keyHash, 'f'.repeat(64)])
    await assert.rejects(assigned, { message: 'key_hashes[2]: key not found.' })
  })
})
