import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sampleGeneration } from '#test/harness/records/sample-generation.ts'
import { mergeNewest, trimRows, withNewer, withWaiting } from './merge-rows.ts'

const at = (second: number) =>
  sampleGeneration({ id: `gen-${second}`, created_at: new Date(second * 1000).toISOString() })
const ids = (rows: { id: string }[]) => rows.map(({ id }) => id)

test('mergeNewest inserts new rows without duplicates at the top', () => {
  const before = { rows: [at(2), at(1)], waiting: [] }
  const { rows, waiting } = mergeNewest(before, [at(4), at(3), at(2)], true)
  assert.deepEqual([ids(rows), waiting], [['gen-4', 'gen-3', 'gen-2', 'gen-1'], []])
})

test('mergeNewest keeps rows waiting while scrolled down', () => {
  const scrolledDown = mergeNewest({ rows: [at(1)], waiting: [] }, [at(2)], false)
  assert.deepEqual([ids(scrolledDown.rows), ids(scrolledDown.waiting)], [['gen-1'], ['gen-2']])
  const atTop = mergeNewest(scrolledDown, [at(3)], true)
  assert.deepEqual([ids(atTop.rows), ids(atTop.waiting)], [['gen-3', 'gen-2', 'gen-1'], []])
})

test('mergeNewest inserts a long request at its start time', () => {
  const { rows } = mergeNewest({ rows: [at(5), at(4), at(2)], waiting: [] }, [at(3)], true)
  assert.deepEqual(ids(rows), ['gen-5', 'gen-4', 'gen-3', 'gen-2'])
})

test('mergeNewest returns the same arrays without new rows', () => {
  const rows = [at(2), at(1)]
  const waiting: typeof rows = []
  const merged = mergeNewest({ rows, waiting }, [at(2)], true)
  assert.ok(merged.rows === rows && merged.waiting === waiting)
})

test('trimRows cuts only lists that are much too long', () => {
  const rows = Array.from({ length: 3_001 }, (_, index) => index)
  assert.equal(trimRows(rows).length, 1_000)
  const few = rows.slice(1)
  assert.equal(trimRows(few), few)
})

test('withNewer limits the waiting rows to the newest', () => {
  let log = {
    rows: [at(1)],
    waiting: [] as ReturnType<typeof at>[],
    hasGap: false,
    cursor: null as string | null | undefined,
  }
  for (let second = 2; second <= 1_500; second++) log = withNewer(log, [at(second)], false)
  assert.deepEqual([log.rows.length, log.waiting.length, log.hasGap, log.cursor], [1, 1_000, true, null])
  assert.equal(log.waiting[0]?.id, 'gen-1500')
  for (const inserted of [withWaiting(log), withNewer(log, [at(1_500)], true)])
    assert.deepEqual(
      [inserted.rows.length, inserted.rows.at(-1)?.id, inserted.waiting, inserted.hasGap, inserted.cursor],
      [1_000, 'gen-501', [], false, undefined],
    )
})

test('withWaiting inserts waiting rows above the others', () => {
  const log = withNewer(
    { rows: [at(1)], waiting: [] as ReturnType<typeof at>[], hasGap: false, cursor: null },
    [at(2)],
    false,
  )
  assert.deepEqual(ids(withWaiting(log).rows), ['gen-2', 'gen-1'])
  assert.equal(withWaiting(log).cursor, null)
})

test('withWaiting inserts a long request at its start time', () => {
  const log = { rows: [at(5), at(2)], waiting: [] as ReturnType<typeof at>[], hasGap: false, cursor: null }
  assert.deepEqual(ids(withWaiting(withNewer(log, [at(6), at(3)], false)).rows), ['gen-6', 'gen-5', 'gen-3', 'gen-2'])
})
