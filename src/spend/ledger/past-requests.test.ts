import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newDb, onEachDatabase } from '#test/harness/database/databases.ts'
import { generation } from '#test/harness/records/generations.ts'
import { writeGenerations } from '../metering/write.ts'
import { readPastRequests, readSpentOnDays, type SpentByKey } from './past-requests.ts'

const sumOf = (spent: SpentByKey[]) => spent.reduce((sum, one) => sum + one.spent, 0n)

const noon = Date.UTC(2026, 10, 18, 12)
const everybody = { workspaceId: 'workspace', includes: () => true }

onEachDatabase('the history of requests', (kind) => {
  test('is read once in order of time over all pages, also with equal times', async () => {
    await using store = await newDb(kind)
    const all = Array.from({ length: 1201 }, (_, i) => generation({ createdAt: noon + Math.floor(i / 700) }))
    await writeGenerations(store, all)
    const pages = await Array.fromAsync(readPastRequests(store, everybody, { from: noon, to: noon + 2 }))
    const read = pages.flat()
    assert.deepEqual(new Set(read.map(({ record }) => record.id)), new Set(all.map(({ id }) => id)))
    assert.equal(read.length, 1201)
    assert.ok(read.every(({ createdAt }, i) => i === 0 || createdAt >= read[i - 1]!.createdAt))
    assert.ok(pages.every((page) => page.length <= 200))
  })

  test('has the filters: the time, the workspace, some keys, exact costs', async () => {
    await using store = await newDb(kind)
    const other = { ...generation().caller, keyHash: 'other' }
    const elsewhere = { ...generation().caller, workspaceId: 'elsewhere' }
    await writeGenerations(store, [
      generation({ createdAt: noon - 1 }),
      generation({ createdAt: noon, cost: 9_007_199_254_740_993n }),
      generation({ createdAt: noon, caller: other }),
      generation({ createdAt: noon, caller: elsewhere }),
      generation({ createdAt: noon + 1 }),
    ])
    const scope = { workspaceId: 'workspace', includes: ({ keyHash }: { keyHash: string }) => keyHash === 'hash' }
    const read = (await Array.fromAsync(readPastRequests(store, scope, { from: noon, to: noon + 1 }))).flat()
    assert.deepEqual(
      read.map(({ cost }) => cost),
      [9_007_199_254_740_993n],
    )
  })

  test('a record from before a field existed has the value that it implies', async () => {
    await using store = await newDb(kind)
    await writeGenerations(store, [generation({ id: 'gen-old', createdAt: noon })])
    // A complete record of an older version, with two members removed.
    const old = { id: 'gen-old', model: 'c/d', cancelled: true, outcome: 'client_left', tokens_prompt: 7 }
    await store.db.query
      .updateTable('generations')
      .set({ model: 'c/d', record: JSON.stringify(old) })
      .execute()
    const [page] = await Array.fromAsync(readPastRequests(store, everybody, { from: noon, to: noon + 1 }))
    const { candidate_models, region, cancelled, tokens_prompt } = page![0]!.record
    assert.deepEqual([candidate_models, region, cancelled, tokens_prompt], [['c/d'], 'global', true, 7])
  })

  test('daily spending is exact for the selected members and keys', async () => {
    await using store = await newDb(kind)
    const other = { ...generation().caller, keyHash: 'other' }
    const cost = 9_007_199_254_740_993n
    await writeGenerations(store, [
      generation({ cost }),
      generation({ cost, byok: true }),
      generation({ cost, caller: other }),
    ])
    const day = Math.floor(noon / 86_400_000)
    const days = { from: day, to: day + 1, includesByok: false }
    const scope = { workspaceId: 'workspace', includes: ({ keyHash }: { keyHash: string }) => keyHash === 'hash' }
    assert.equal(sumOf(await readSpentOnDays(store, everybody, days)), cost * 2n)
    assert.equal(sumOf(await readSpentOnDays(store, scope, { ...days, includesByok: true })), cost * 2n)
    assert.deepEqual(await readSpentOnDays(store, scope, { ...days, to: day }), [])
  })
})
