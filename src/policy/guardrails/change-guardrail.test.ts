import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bootstrap } from '#identity/accounts/bootstrap.ts'
import type { Caller } from '#identity/accounts/caller.ts'
import { Settings } from '#platform/config/settings.ts'
import { newUuid } from '#platform/core/id.ts'
import type { Db } from '#platform/db/db.ts'
import { newDb, onEachDatabase } from '#test/harness/database/databases.ts'
import { assign, unassign } from './assignments/assignments.ts'
import { changeGuardrail, createGuardrail, deleteGuardrail } from './change-guardrail.ts'

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
