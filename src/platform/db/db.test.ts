import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { newDb, onEachDatabase } from '#test/harness/database/databases.ts'
import { sql } from './kysely.ts'
import { migrate, migrations } from './migrate.ts'

onEachDatabase('the database', (kind) => {
  const user = { id: 'u', name: 'U', email: 'u@localhost', created_at: 1_795_000_000_000 }

  test('instants come back as numbers', async () => {
    await using store = await newDb(kind)
    await store.db.query.insertInto('users').values(user).execute()
    assert.deepEqual(await store.db.query.selectFrom('users').selectAll().execute(), [user])
  })

  test('a transaction that throws leaves nothing behind and publishes nothing', async () => {
    await using store = await newDb(kind)
    const texts: string[] = []
    store.db.signals.subscribe('key.changed', (hash) => texts.push(hash))
    const failing = store.db.exclusively('o', async (tx, publish) => {
      await tx.insertInto('users').values(user).execute()
      publish('key.changed', 'hash')
      throw new Error('no')
    })
    await assert.rejects(failing, /^Error: no$/)
    assert.deepEqual(await store.db.query.selectFrom('users').selectAll().execute(), [])
    assert.deepEqual(texts, [])
  })

  test('notifications of a transaction are delivered before its end', async () => {
    await using store = await newDb(kind)
    const texts: string[] = []
    store.db.signals.subscribe('key.changed', (hash) => texts.push(hash))
    await store.db.exclusively('o', async (_tx, publish) => publish('key.changed', 'hash'))
    assert.equal(texts[0], 'hash')
  })

  test('a report that reads for long keeps no other statement waiting', async () => {
    await using store = await newDb(kind)
    const order: string[] = []
    const counting = sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < 3000000) select max(i) from n`
    const report = counting.execute(store.db.reportQuery).then(() => order.push('report'))
    for (let at = 0; at < 3; at++) await store.db.query.selectFrom('users').select('id').execute()
    await store.db.query.insertInto('users').values(user).execute()
    order.push('others')
    await report
    assert.deepEqual(order, ['others', 'report'])
    assert.equal((await store.db.reportQuery.selectFrom('users').select('id').execute()).length, 1)
  })

  test('a failed migration leaves nothing half done and says why', async () => {
    await using store = await newDb(kind)
    const broken = {
      up: async (db: any) => {
        await db.schema.createTable('half').addColumn('id', 'text').execute()
        throw new Error('it broke')
      },
    }
    await assert.rejects(migrate(store.db, { ...migrations, '9999_broken': broken }), /was not changed: it broke/)
    const tables = await store.db.query.introspection.getTables()
    assert.ok(!tables.some((table) => table.name === 'half'))
  })

  test('a database newer than the code is refused', async () => {
    await using store = await newDb(kind)
    const { '0001_accounts': first } = migrations
    await assert.rejects(migrate(store.db, { '0001_accounts': first! }), /newer version of Signalbox/)
  })

  describe('exclusively', () => {
    test('two writers of one object follow each other', async () => {
      await using store = await newDb(kind)
      const order: string[] = []
      const write = (name: string) =>
        store.db.exclusively('object', async (tx) => {
          order.push(`${name} in`)
          await tx.selectFrom('users').selectAll().execute()
          order.push(`${name} out`)
        })
      await Promise.all([write('a'), write('b')])
      assert.equal(order[1]?.split(' ')[0], order[0]?.split(' ')[0])
    })
  })
})
