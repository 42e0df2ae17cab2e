import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fetchAllCursorPages, fetchAllPages } from './pages.ts'

const all = Array.from({ length: 1234 }, (_, index) => index)

test('fetchAllPages returns all rows in order', async () => {
  const offsets: number[] = []
  const rows = await fetchAllPages(async ({ limit, offset }) => {
    offsets.push(offset)
    return { data: all.slice(offset, offset + limit), total_count: all.length }
  })
  assert.deepEqual(rows, all)
  assert.equal(offsets.length, 13)
})

test('fetchAllCursorPages follows cursors to the end or the maximum', async () => {
  const ask = async ({ limit, starting_after = '0' }: { limit: number; starting_after?: string }) => {
    const next = Number(starting_after) + limit
    return { data: all.slice(Number(starting_after), next), has_more: next < all.length, next_cursor: String(next) }
  }
  assert.deepEqual(await fetchAllCursorPages(ask), { rows: all, hasMore: false })
  assert.deepEqual(await fetchAllCursorPages(ask, 250), { rows: all.slice(0, 300), hasMore: true })
})
