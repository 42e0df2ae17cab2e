import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { InternEntry, InternText } from '../../api/types.ts'
import { withEntry, withText } from './transcript.ts'

const at = '2026-01-01T00:00:00.000Z'
const message = (id: string, text: string) =>
  ({ id, run_id: 'run', at, updated_at: at, type: 'message', text }) as InternEntry
const piece = (offset: number, text: string): InternText => ({
  entry_id: '1',
  run_id: 'run',
  type: 'message',
  at,
  offset,
  text,
})
const texts = (entries: InternEntry[]) => entries.map((entry) => 'text' in entry && entry.text)

test('withEntry replaces an entry by id or appends it', () => {
  const entries = withEntry([message('1', 'a'), message('2', 'b')], message('1', 'changed'))
  assert.deepEqual(texts(withEntry(entries, message('3', 'c'))), ['changed', 'b', 'c'])
})

test('withText inserts a piece at its offset, also twice', () => {
  const entries = withText([], piece(0, 'Hello'))
  assert.deepEqual(texts(withText(withText(entries, piece(5, ' you')), piece(5, ' you'))), ['Hello you'])
})
