import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newUuid } from '#platform/core/id.ts'
import { newDb, onEachDatabase } from '#test/harness/database/databases.ts'
import { until } from '#test/harness/until.ts'
import { createRequestMarker, waitUntilWritten } from './request-markers.ts'

const written = (store: Awaited<ReturnType<typeof newDb>>, since: number) => waitUntilWritten(store, 'k', since)

onEachDatabase('a request that is noted', (kind) => {
  test('is waited for until the ledger of its process has written it, and no longer', async () => {
    await using store = await newDb(kind)
    const happened: string[] = []
    const flush = async () => void happened.push('flushed')
    const note = createRequestMarker({
      db: store.db,
      now: Date.now,
      newId: newUuid,
      ledger: { flush },
      onError: assert.fail,
    })
    const over = await note('k')
    const waiting = written(store, Date.now()).then(() => happened.push('written'))
    await store.db.query.selectFrom('requests_under_way').selectAll().execute()
    assert.deepEqual(happened, [])
    over()
    await waiting
    assert.deepEqual(happened, ['flushed', 'written'])
    await until(async () => (await store.db.query.selectFrom('requests_under_way').selectAll().execute()).length === 0)
  })

  test('does not wait long for a dead process, nor for a later time', async () => {
    await using store = await newDb(kind)
    const row = { id: 'lost', key_hash: 'k', began_at: 1000 }
    await store.db.query.insertInto('requests_under_way').values(row).execute()
    const order: string[] = []
    await Promise.all([
      written(store, 2000).then((isWritten) => order.push(`of its time: ${isWritten}`)),
      written(store, 10_000_000).then((isWritten) => order.push(`of later: ${isWritten}`)),
    ])
    assert.deepEqual(order, ['of later: true', 'of its time: false'])
  })
})
