import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { bootstrap } from '#identity/accounts/bootstrap.ts'
import { createVault } from '#identity/provider-keys/vault.ts'
import { newUuid } from '#platform/core/id.ts'
import type { Db } from '#platform/db/db.ts'
import { newDb, onEachDatabase } from '#test/harness/database/databases.ts'
import { until } from '#test/harness/until.ts'
import { ContentWriter } from './content-writer.ts'
import { writeContents } from './write-contents.ts'

const vault = createVault(randomBytes(32))

async function world(kind: 'sqlite' | 'postgres') {
  const store = await newDb(kind)
  await bootstrap({ db: store.db, now: Date.now, newId: newUuid }, {})
  const { id, organization_id } = await store.db.query.selectFrom('workspaces').selectAll().executeTakeFirstOrThrow()
  let made = 0
  const owner = () => ({
    id: `gen-${made++}`,
    organizationId: organization_id,
    workspaceId: id,
    keyHash: 'hash',
    userId: 'user',
    createdAt: Date.now(),
  })
  const count = async () => (await store.db.query.selectFrom('generation_contents').select('id').execute()).length
  return { ...store, owner, count }
}

function keeperOf(db: Db) {
  const counted = { kept: 0, dropped: 0 }
  const errors: Error[] = []
  const keeper = new ContentWriter({
    db,
    vault,
    count: (outcome, by) => {
      counted[outcome] += by
    },
    onError: (error) => void errors.push(error),
  })
  return { keeper, counted, errors }
}

onEachDatabase('contents', (kind) => {
  test('that exceed the queue are dropped and counted, without a wait', async () => {
    await using fixture = await world(kind)
    const { keeper, counted } = keeperOf(fixture.db)
    const text = randomBytes(500_000).toString('hex')
    for (let n = 0; n < 40; n++) keeper.enqueue(fixture.owner(), { text })
    assert.ok(counted.dropped >= 7 && keeper.waitingBytes <= 32 * 1024 * 1024)
    await until(() => counted.kept + counted.dropped === 40)
    assert.equal(await fixture.count(), counted.kept)
    assert.equal(keeper.waitingBytes, 0)
    await keeper.close()
  })

  test('are measured in bytes, even if their characters need several', async () => {
    await using fixture = await world(kind)
    const { keeper } = keeperOf(fixture.db)
    keeper.enqueue(fixture.owner(), { text: 'ж'.repeat(1000) })
    assert.equal(keeper.waitingBytes, Buffer.byteLength('{"text":""}') + 2000)
    await keeper.close()
    assert.equal(keeper.waitingBytes, 0)
  })

  test('that the database refuses keep no others from being written', async () => {
    await using fixture = await world(kind)
    const { keeper, counted } = keeperOf(fixture.db)
    const wrong = { ...fixture.owner(), userId: null as never }
    for (const owner of [fixture.owner(), wrong, fixture.owner()]) keeper.enqueue(owner, { text: 'x' })
    await until(() => counted.kept === 2 && counted.dropped === 1)
    await keeper.close()
  })

  test('of deleted workspaces, or deleted meanwhile, are not written', async () => {
    await using fixture = await world(kind)
    const { keeper, counted } = keeperOf(fixture.db)
    const [early, late] = [fixture.owner(), { ...fixture.owner(), createdAt: Date.now() + 60_000 }]
    await fixture.db.query
      .updateTable('workspaces')
      .set({ contents_since: Date.now() + 1000 })
      .execute()
    for (const owner of [early, late, { ...late, id: 'gen-gone', workspaceId: 'gone' }])
      keeper.enqueue(owner, { text: 'x' })
    await until(() => keeper.waitingBytes === 0)
    const rows = await fixture.db.query.selectFrom('generation_contents').select('id').execute()
    assert.deepEqual([rows, counted], [[{ id: late.id }], { kept: 1, dropped: 0 }])
    await keeper.close()
  })

  test('of which an earlier try has written some are not written twice', async () => {
    await using fixture = await world(kind)
    const sealed = () => ({ ...fixture.owner(), sealed: 'x', sealedBy: vault.keyName })
    const [one, other] = [sealed(), sealed()]
    await writeContents(fixture.db, [one])
    assert.equal(await writeContents(fixture.db, [one, other]), 2)
    assert.equal(await fixture.count(), 2)
  })

  test('wait while the database is away, and are written when it is back', async () => {
    await using fixture = await world(kind)
    let isAway = true
    const query = new Proxy(fixture.db.query, {
      get: (target, name) => {
        if (isAway && name === 'transaction') throw Object.assign(new Error('away'), { code: 'ECONNREFUSED' })
        const value = Reflect.get(target, name)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
    const { keeper, counted, errors } = keeperOf({ ...fixture.db, query })
    keeper.enqueue(fixture.owner(), { text: 'x' })
    await until(() => errors.length > 0)
    assert.deepEqual(counted, { kept: 0, dropped: 0 })
    isAway = false
    await until(() => counted.kept === 1)
    await keeper.close()
  })

  test('that wait at the end are written, and later ones are dropped', async () => {
    await using fixture = await world(kind)
    const { keeper, counted } = keeperOf(fixture.db)
    keeper.enqueue(fixture.owner(), { text: 'x' })
    await keeper.close()
    keeper.enqueue(fixture.owner(), { text: 'y' })
    assert.deepEqual([counted, await fixture.count()], [{ kept: 1, dropped: 1 }, 1])
  })
})
