import assert from 'node:assert/strict'
import { test } from 'node:test'
import { watchHeartbeat } from './heartbeat.ts'

/** A worker that answers while `answers` is true. */
function watched(silenceMs = 1000) {
  const worker = { answers: true, silent: 0, pings: 0 }
  const call = (): Promise<never> => {
    worker.pings++
    return worker.answers ? Promise.resolve(undefined as never) : new Promise(() => {})
  }
  const end = watchHeartbeat({ call }, silenceMs, () => void worker.silent++)
  return { worker, end }
}

test('a silent worker is reported once, after the whole timeout', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const { worker } = watched()
  const pass = async (ms: number) => {
    for (let past = 0; past < ms; past += 100) {
      t.mock.timers.tick(100)
      await Promise.resolve()
      await Promise.resolve()
    }
  }
  await pass(10_000)
  assert.deepEqual([worker.silent, worker.pings], [0, 100])
  worker.answers = false
  await pass(1000)
  assert.equal(worker.silent, 0)
  await pass(100)
  assert.equal(worker.silent, 1)
  await pass(5000)
  assert.equal(worker.silent, 1)
})

test('an ended watch reports nothing', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const { worker, end } = watched()
  worker.answers = false
  end()
  t.mock.timers.tick(10_000)
  assert.deepEqual([worker.silent, worker.pings], [0, 0])
})
