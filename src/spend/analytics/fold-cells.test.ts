import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Sketch } from '#platform/metrics/sketch.ts'
import type { CellQuery } from './cell-query.ts'
import { fold } from './fold-cells.ts'
import { Group, percents } from './group.ts'

const query: CellQuery = {
  organizationId: 'o',
  slotRanges: [],
  filters: [],
  granularity: 'hour',
  slotMinutes: 60,
  columns: ['model', 'outcome'],
  sums: ['requests', 'cost'],
  sketches: ['latency'],
  maxGroups: 2,
}

type Row = [part: null, bucket: unknown, ...values: string[], sums: unknown, cost: unknown, text: string | null]

/** @returns the groups of these rows, and the number of rows read. */
function folded(rows: Row[]): { groups: Group[] | undefined; taken: number } {
  const folding = fold.createReducer(query)
  let taken = 0
  while (taken < rows.length && folding.add(rows[taken++]!));
  const steps = folding.finish()
  let step = steps.next()
  while (!step.done) step = steps.next()
  const result = step.value && structuredClone(step.value)
  return { groups: result && Array.from(result.starts, (_, at) => new Group(query, result, at)), taken }
}

test('rows of a group add up in any order, also beyond a column', () => {
  const most = 2n ** 63n - 1n
  const { groups } = folded([
    [null, 7n, 'a', 'success', 1n, most, null],
    [null, 8n, 'a', 'success', 1n, 5n, '3:1'],
    [null, 7, 'a', 'success', '2', '1 7', '3:2,1'],
  ])
  assert.deepEqual(
    groups!.map((group) => [group.start, group.values, group.sum('requests'), group.sum('cost')]),
    [
      [7 * 3_600_000, ['a', 'success'], 3n, most + 1_000_000_007n],
      [8 * 3_600_000, ['a', 'success'], 1n, 5n],
    ],
  )
  assert.equal(groups![0]!.sum('saving'), 0n)
  assert.equal(groups![0]!.percentile('duration', 50), undefined)
})

test('distributions of a group equal one distribution of all its values', () => {
  const all = new Sketch()
  const rows = Array.from({ length: 400 }, (_, row): Row => {
    const own = new Sketch()
    for (let at = 0; at < 30; at++) {
      const value = 40 * Math.exp(3 * Math.abs(Math.sin((row * 30 + at) * 12.9898)))
      own.accept(value)
      all.accept(value)
    }
    return [null, 7n, 'a', 'success', 1n, 0n, own.toText()]
  })
  const [group] = folded(rows).groups!
  assert.deepEqual(
    percents.map((percent) => group!.percentile('latency', percent)),
    percents.map((percent) => all.quantile(percent / 100)),
  )
})

test('rows are read up to the first group above the maximum', () => {
  const rows = ['a', 'b', 'b', 'c', 'd'].map((model): Row => [null, 7n, model, 'success', 1n, 0n, ''])
  assert.deepEqual(folded(rows), { groups: undefined, taken: 4 })
  assert.deepEqual(folded(rows.slice(0, 3)).groups?.length, 2)
})
