import assert from 'node:assert/strict'
import { test } from 'node:test'
import { colourOfGroup, groupsWithLine, lineOf, stackOf, stepsBetween } from './stacked-lines.ts'

const hour = 3_600_000
const at = (step: number) => new Date(step * hour).toISOString()

test('lineOf fills steps without requests', () => {
  const times = stepsBetween({ from: 0, to: 3 * hour, stepMs: hour })
  assert.deepEqual(times, [0, 3600, 7200])
  assert.deepEqual(lineOf([{ date: at(1), request_count: 4 }], 'request_count', times, 0), [0, 4, 0])
})

test('stackOf has five lines and one for the others, which have its colour', () => {
  const models = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
  const groups = groupsWithLine(
    models.map((model) => ({ model })),
    'model',
  )
  const rows = models.map((model, index) => ({ date: at(0), model, cost: index + 1 }))
  const lines = stackOf(rows, 'model', 'cost', [0], groups)
  assert.deepEqual(
    lines.map(({ label, values }) => [label, values[0]]),
    [
      ['a', 1],
      ['b', 2],
      ['c', 3],
      ['d', 4],
      ['e', 5],
      ['2 others', 13],
    ],
  )
  assert.deepEqual(
    ['a', 'e', 'f', 'g'].map((id) => colourOfGroup(id, groups.names)),
    [1, 5, 6, 6].map((colour) => `var(--series-${colour})`),
  )
})

test('groups of the same name have separate lines and amounts', () => {
  const rows = [3, 2].map((cost) => ({ date: at(0), key: 'twin', ids: { key: `hash ${cost}` }, cost }))
  const lines = stackOf(rows, 'key', 'cost', [0], groupsWithLine(rows, 'key', 'cost'))
  assert.deepEqual(
    lines.map(({ label, values }) => [label, values[0]]),
    [
      ['twin', 3],
      ['twin', 2],
    ],
  )
})
