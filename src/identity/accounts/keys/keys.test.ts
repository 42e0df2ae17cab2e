import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Db } from '#platform/db/db.ts'
import { newDb, onEachDatabase } from '#test/harness/database/databases.ts'
import { bootstrap } from '../bootstrap.ts'
import type { Caller } from '../caller.ts'
import { changeKey, createKey, deleteKey, getKey, listKeys } from './keys.ts'
import { createKeyReader } from './read-keys.ts'
import { hashOf } from './secret.ts'

const tools = { now: Date.now, newId: () => crypto.randomUUID() }
const newKey = { name: 'n', kind: 'management', include_byok_in_limit: false } as const

/** An organization, and its first management key as the caller. */
async function newOrganization(db: Db) {
  const deps = { ...tools, db }
  const hash = hashOf((await bootstrap(deps))!.managementKey)
  const caller = await callerOf(db, hash)
  return { deps, caller }
}

async function callerOf(db: Db, hash: string): Promise<Caller> {
  return (await createKeyReader({ db })([hash])).get(hash)!.caller
}

onEachDatabase('keys in the store', (kind) => {
  test('of two management keys that delete each other at once, one stays', async () => {
    await using store = await newDb(kind)
    const { deps, caller } = await newOrganization(store.db)
    const { key } = await createKey(deps, caller, newKey)
    const other = await callerOf(store.db, key.hash)
    const done = await Promise.allSettled([
      deleteKey(deps, caller, other.keyHash),
      deleteKey(deps, other, caller.keyHash),
    ])
    const refused = done.filter((one) => one.status === 'rejected')
    assert.equal(refused.length, 1)
    assert.equal(refused[0]?.reason.kind, 'conflict')
  })

  test('where all management keys expire, the one that works longest stays', async () => {
    await using store = await newDb(kind)
    const { deps, caller } = await newOrganization(store.db)
    const { key } = await createKey(deps, caller, { ...newKey, expires_at: '2999-01-01T00:00:00Z' })
    const expiry = { expires_at: Date.parse('2998-01-01T00:00:00Z') }
    await store.db.query.updateTable('api_keys').set(expiry).where('hash', '=', caller.keyHash).execute()
    await assert.rejects(deleteKey(deps, caller, key.hash), {
      kind: 'conflict',
      message: /until 2999.* is valid as long/,
    })
    await deleteKey(deps, caller, caller.keyHash)
  })

  test("another organization's key is not found, in the same words as an unknown one", async () => {
    await using store = await newDb(kind)
    const { deps, caller } = await newOrganization(store.db)
    const says = async (organizationId: string, hash: string) =>
      getKey(deps, { organizationId, workspaceId: '', isWorkspaceScoped: false }, hash).then(
        () => 'found',
        (error: Error) => error.message,
      )
    assert.equal(await says(caller.organizationId, caller.keyHash), 'found')
    assert.equal(await says('another', caller.keyHash), await says(caller.organizationId, 'unknown'))
    await assert.rejects(deleteKey(deps, { ...caller, organizationId: 'another' }, caller.keyHash), {
      kind: 'not_found',
    })
  })

  test('returns whether own provider keys count toward the limit, also after a change', async () => {
    await using store = await newDb(kind)
    const { deps, caller } = await newOrganization(store.db)
    const changing = { ...deps, deleteSpending: async () => {} }
    const includesByok = async (hash: string) => (await getKey(deps, caller, hash)).include_byok_in_limit
    for (const include_byok_in_limit of [true, false]) {
      const { key } = await createKey(deps, caller, { ...newKey, include_byok_in_limit })
      assert.deepEqual(
        [key.include_byok_in_limit, await includesByok(key.hash)],
        [include_byok_in_limit, include_byok_in_limit],
      )
      await changeKey(changing, caller, key.hash, { include_byok_in_limit: !include_byok_in_limit })
      assert.equal(await includesByok(key.hash), !include_byok_in_limit)
    }
  })

  test('a limit that counts other costs than before starts again with the ledger', async () => {
    await using store = await newDb(kind)
    const { deps, caller } = await newOrganization(store.db)
    const { key } = await createKey(deps, caller, { ...newKey, limit: 3 })
    const deletedAccounts: string[] = []
    const deleteSpending = async (_: unknown, account: string) => void deletedAccounts.push(account)
    for (const patch of [
      { name: 'renamed' },
      { include_byok_in_limit: true },
      { limit: 4, include_byok_in_limit: true },
    ])
      await changeKey({ ...deps, deleteSpending }, caller, key.hash, patch)
    assert.deepEqual(deletedAccounts, [`key:${key.hash}`])
  })

  test('the end user, limit and expiry of a key are stored', async () => {
    await using store = await newDb(kind)
    const { deps, caller } = await newOrganization(store.db)
    const result = { limit: 3, limit_reset: 'weekly', expires_at: '2999-01-01T00:00:00.000Z' } as const
    const { key } = await createKey(deps, caller, { ...newKey, ...result, external: { user: 'u-1' } })
    const { external_user, limit, limit_reset, expires_at } = await getKey(deps, caller, key.hash)
    assert.deepEqual({ external_user, limit, limit_reset, expires_at }, { ...result, external_user: 'u-1' })
    const bare = await createKey(deps, caller, newKey)
    assert.deepEqual([bare.key.external_user, bare.key.limit, bare.key.expires_at], [null, null, null])
  })

  test('keys made in one millisecond are listed in one order', async () => {
    await using store = await newDb(kind)
    const { deps, caller } = await newOrganization(store.db)
    for (let n = 0; n < 6; n++) await createKey({ ...deps, now: () => 1_795_000_000_000 }, caller, newKey)
    const page = (offset: number) =>
      listKeys(deps, caller.workspaceId, { offset, limit: 2, include_disabled: false }, caller).then(({ data }) => data)
    const paged = (await Promise.all([0, 2, 4, 6].map(page))).flat().map((key) => key.hash)
    assert.equal(new Set(paged).size, 8)
  })
})
