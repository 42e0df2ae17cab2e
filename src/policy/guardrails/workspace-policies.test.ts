import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bootstrap } from '#identity/accounts/bootstrap.ts'
import { Settings } from '#platform/config/settings.ts'
import { newUuid } from '#platform/core/id.ts'
import { newDb } from '#test/harness/database/databases.ts'
import { emptyPolicy } from './decide/policy.ts'
import { insertGuardrail } from './guardrail-rows.ts'
import { readWorkspacePolicies } from './workspace-policies.ts'

test('callers with the same guardrails get the identical list', async () => {
  await using store = await newDb('sqlite')
  const deps = { db: store.db, now: Date.now, newId: newUuid, config: Settings.parse({}) }
  await bootstrap(deps)
  const { id: workspaceId, default_guardrail_id: id } = await store.db.query
    .selectFrom('workspaces')
    .selectAll()
    .executeTakeFirstOrThrow()
  const guardrail = { id, workspaceId, name: 'All', description: null, policy: emptyPolicy, createdAt: 1, updatedAt: 1 }
  await store.db.exclusively('guardrails', (tx) => insertGuardrail(tx, guardrail))
  const policies = await readWorkspacePolicies(deps, workspaceId)
  const [one, other] = ['one', 'other'].map((keyHash) => policies.policiesOf({ userId: 'user', keyHash }))
  assert.deepEqual(
    one?.guardrails.map(({ name }) => name),
    ['All'],
  )
  assert.equal(one?.guardrails, other?.guardrails)
})
