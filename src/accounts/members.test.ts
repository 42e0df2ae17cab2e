import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Db } from '#db/db.ts'
import { newDb, onEachDatabase } from '#test/harness/databases.ts'
import { bootstrap } from './bootstrap.ts'
import type { Caller } from './caller.ts'
import { createKeyRing } from './key-ring.ts'
import { leaveOrganization, listMembers, rejoinOrganization } from './members.ts'
import { keyReader } from './read-keys.ts'

const tools = { now: Date.now, newId: () => crypto.randomUUID() }
const page = { offset: 0, limit: 50 }

/** An organization with its owner, who calls, and a second member. */
async function newOrganization(db: Db) {
  const deps = { ...tools, db }
  const secrets = await bootstrap(deps)
  const keys = createKeyRing({ ...tools, signals: db.signals, readKeys: keyReader({ db }) })
  const caller = (await keys.find(secrets!.apiKey)) as Caller
  const { organizationId } = caller
  await db.query
    .insertInto('users')
    .values({ id: 'second', name: 'Second', email: 'second@localhost', created_at: Date.now() })
    .execute()
  await db.query
    .insertInto('memberships')
    .values({
      organization_id: organizationId,
      user_id: 'second',
      role: 'member',
      joined_at: Date.now(),
      left_at: null,
    })
    .execute()
  return { deps, keys, caller, organizationId, apiKey: secrets!.apiKey }
}

onEachDatabase('members', (kind) => {
  test('who has left is no longer listed, and is again after coming back', async () => {
    await using store = await newDb(kind)
    const { deps, caller, organizationId } = await newOrganization(store.db)
    await leaveOrganization(deps, caller, 'second')
    const without = await listMembers(deps, organizationId, page)
    await rejoinOrganization(deps, caller, 'second')
    const withAgain = await listMembers(deps, organizationId, page)
    assert.deepEqual([without.total_count, withAgain.total_count], [1, 2])
    assert.equal(withAgain.data[1]?.userId, 'second')
  })

  test('a key known before its creator left says so at the next call', async () => {
    await using store = await newDb(kind)
    const { deps, keys, caller, organizationId, apiKey } = await newOrganization(store.db)
    await store.db.query.updateTable('memberships').set({ role: 'admin' }).where('user_id', '=', 'second').execute()
    assert.equal(caller.creatorLeft, false)
    await leaveOrganization(deps, { ...caller, organizationId }, caller.userId)
    assert.equal((await keys.find(apiKey))?.creatorLeft, true)
    await rejoinOrganization(deps, caller, caller.userId)
    assert.equal((await keys.find(apiKey))?.creatorLeft, false)
  })

  test('the last admin cannot leave', async () => {
    await using store = await newDb(kind)
    const { deps, caller } = await newOrganization(store.db)
    await assert.rejects(leaveOrganization(deps, caller, caller.userId), /last admin cannot leave/)
  })

  test('a stranger neither leaves nor comes back', async () => {
    await using store = await newDb(kind)
    const { deps, caller } = await newOrganization(store.db)
    await assert.rejects(leaveOrganization(deps, caller, 'stranger'), { kind: 'not_found' })
    await assert.rejects(rejoinOrganization(deps, caller, 'stranger'), { kind: 'not_found' })
  })
})
