import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { InternEntry, InternSessionRequest } from '../../api/types.ts'
import { fileChanges, timelineItems } from './session-timeline.ts'

const second = (at: number) => new Date(Date.UTC(2026, 10, 29, 12, 0, at)).toISOString()
const entry = (id: string, type: string, at: number, more: object = {}) =>
  ({ id, type, run_id: 'run', at: second(at), ...more }) as unknown as InternEntry
const request = (id: string, at: number) =>
  ({ id, run_id: 'run', created_at: second(at) }) as unknown as InternSessionRequest

test('model requests stand between the entries before and after them', () => {
  const entries = [entry('1', 'prompt', 10), entry('2', 'tool_call', 12), entry('3', 'end', 15)]
  const items = timelineItems(entries, [request('a', 11), request('b', 13), request('c', 16)])
  const ids = items.map((item) => ('entry' in item ? item.entry.id : item.request.id))
  assert.deepEqual(ids, ['1', 'a', '2', 'b', '3', 'c'])
})

test('a request of a run is placed after its prompt, even if the clocks differ', () => {
  const items = timelineItems([entry('1', 'prompt', 10), entry('2', 'message', 12)], [request('a', 9)])
  assert.deepEqual(
    items.map((item) => 'request' in item),
    [false, true, false],
  )
})

test('changed files have the diffs of completed tool calls, in order', () => {
  const change = (id: string, status: string, diff: string) =>
    entry(id, 'tool_call', 1, { status, changes: [{ path: 'a.ts', diff }] })
  const entries = [change('1', 'completed', 'first'), change('2', 'failed', 'none'), change('3', 'completed', 'second')]
  assert.deepEqual(fileChanges(entries), [{ path: 'a.ts', diffs: ['first', 'second'] }])
})
