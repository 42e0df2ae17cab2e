import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { createInternCounts } from './intern-counts.ts'

/** A database that answers when the test allows it, and counts its queries. */
function slowDb() {
  const state = { queryCount: 0, answer: (_rows: object[]) => {} }
  const execute = () => {
    state.queryCount++
    return new Promise((resolve) => {
      state.answer = resolve as never
    })
  }
  const query: object = new Proxy({}, { get: (_, name) => (name === 'execute' ? execute : () => query) })
  return { state, db: { query } as never }
}

test('concurrent counts of interns share one query and do not wait', async () => {
  const { state, db } = slowDb()
  const counts = createInternCounts({ db }, 'here')
  for (let times = 0; times < 3; times++) assert.equal(counts().running, 0)
  assert.equal(state.queryCount, 1)
  state.answer([{ status: 'running', count: 2 }])
  await turn()
  assert.equal(counts().running, 2)
  assert.equal(state.queryCount, 1)
})
