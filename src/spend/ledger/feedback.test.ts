import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newUuid } from '#platform/core/id.ts'
import { newDb, onEachDatabase } from '#test/harness/database/databases.ts'
import { at, generation } from '#test/harness/records/generations.ts'
import { writeGenerations } from '../metering/write.ts'
import { addFeedback, readFeedback } from './feedback.ts'

onEachDatabase('reports about a response', (kind) => {
  test('many at once store no more than the maximum', async () => {
    await using store = await newDb(kind)
    const request = generation({})
    await writeGenerations(store, [request])
    const deps = { db: store.db, now: () => at, newId: newUuid }
    const add = () => addFeedback(deps, request.id, 'u', { category: 'other', comment: null })
    const outcomes = await Promise.allSettled(Array.from({ length: 60 }, add))
    assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 20)
    assert.equal((await readFeedback(store.db.query, request.id)).length, 20)
  })
})
