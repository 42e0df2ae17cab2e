import assert from 'node:assert/strict'
import { test } from 'node:test'
import { visibleColumns } from './visible-columns.ts'

const columns = [
  { name: 'model', width: 'minmax(192px, 1.5fr)' },
  { name: 'key', width: 'minmax(80px, 1fr)', from: 400 },
  { name: 'tokens', width: '100px', from: 300 },
  { name: 'outcome', width: 'minmax(166px, 1.6fr)' },
]
const namesAt = (room: number) => visibleColumns(columns, room).map(({ name }) => name)

test('visibleColumns hides optional columns that do not fit', () => {
  assert.deepEqual(namesAt(550), ['model', 'key', 'tokens', 'outcome'])
  assert.deepEqual(namesAt(549), ['model', 'tokens', 'outcome'])
  assert.deepEqual(namesAt(469), ['model', 'outcome'])
})

test('visibleColumns keeps required columns', () => {
  assert.deepEqual(namesAt(200), ['model', 'outcome'])
  assert.deepEqual(namesAt(0), ['model', 'outcome'])
  assert.deepEqual(visibleColumns([], 100), [])
})
