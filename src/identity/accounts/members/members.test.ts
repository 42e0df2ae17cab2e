import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Db } from '#platform/db/db.ts'
import { newDb, onEachDatabase } from '#test/harness/database/databases.ts'
import { bootstrap } from '../bootstrap.ts'
import type { Caller } from '../caller.ts'
import { createKeyCache } from '../keys/key-cache.ts'
import { createKeyReader } from '../keys/read-keys.ts'
import { removeMember } from '../remove-member.ts'
import { addMember, changeMember } from './change-members.ts'

const tools = { now: Date.now, newId: () => crypto.randomUUID() }
const ada = { email: 'ada@example.com', name: 'Ada Lovelace', role: 'org:admin' } as const
const keepKeys = { disableKeys: false }

async function newOrganization(db: Db) {
  const deps = { ...tools, db }
  const { apiKey } = (await bootstrap(deps))!
  const keys = createKeyCache({ ...tools, signals: db.signals, readKeys: createKeyReader({ db }) })
  return { deps, keys, apiKey, caller: (await keys.find(apiKey)) as Caller }
}

onEachDatabase('members', (kind) => {
  test('a cached key is refused after its creator left, and valid after their return', async () => {
    await using store = await newDb(kind)
    const { deps, keys, caller, apiKey } = await newOrganization(store.db)
    await addMember(deps, caller, ada)
    assert.equal(caller.creatorLeft, false)
    await removeMember(deps, caller, caller.userId, keepKeys)
    assert.equal((await keys.find(apiKey))?.creatorLeft, true)
    await addMember(deps, caller, { email: 'owner@localhost', name: 'Owner', role: 'org:member' })
    assert.equal((await keys.find(apiKey))?.creatorLeft, false)
  })

  test('joining, leaving and returning are recorded, with the time of leaving', async () => {
    await using store = await newDb(kind)
    const { deps, caller } = await newOrganization(store.db)
    const at = Date.UTC(2026, 10, 20)
    const { userId } = await addMember(deps, caller, ada)
    await removeMember({ ...deps, now: () => at }, caller, userId, keepKeys)
    await addMember(deps, caller, ada)
    const rows = await store.db.query
      .selectFrom('audit_events')
      .where('target_id', '=', userId)
      .orderBy('seq')
      .select(['action', 'before_json', 'after_json'])
      .execute()
    const leftAt = (json: string | null) => json && JSON.parse(json).left_at
    assert.deepEqual(
      rows.map(({ action, before_json, after_json }) => [action, leftAt(before_json), leftAt(after_json)]),
      [
        ['member.joined', null, null],
        ['member.left', null, '2026-11-20T00:00:00.000Z'],
        ['member.rejoined', '2026-11-20T00:00:00.000Z', null],
      ],
    )
  })

  test('removing and demoting the last two admins concurrently: one change is refused', async () => {
    await using store = await newDb(kind)
    const { deps, caller } = await newOrganization(store.db)
    const other = await addMember(deps, caller, ada)
    const results = await Promise.allSettled([
      removeMember(deps, caller, caller.userId, keepKeys),
      changeMember(deps, caller, other.userId, { role: 'org:member' }),
    ])
    const refused = results.filter((one) => one.status === 'rejected')
    assert.equal(refused.length, 1)
    assert.match(refused[0]!.reason.message, /last admin/)
  })
})
