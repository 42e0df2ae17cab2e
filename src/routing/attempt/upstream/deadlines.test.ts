import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { IdleTimer } from './deadlines.ts'

/** A deadline, the times at which it was missed, and the way to let time pass. */
function deadline({ mock }: TestContext) {
  let now = 0
  mock.method(performance, 'now', () => now)
  mock.timers.enable({ apis: ['setTimeout'] })
  const missedAt: number[] = []
  const pass = (ms: number) => {
    for (let at = 0; at < ms; at++) {
      now++
      mock.timers.tick(1)
    }
  }
  return { idleTimer: new IdleTimer(() => missedAt.push(now)), missedAt, pass }
}

test('a deadline is told of once, when its time has come', (t) => {
  const { idleTimer, missedAt, pass } = deadline(t)
  idleTimer.start(50)
  pass(500)
  assert.deepEqual(missedAt, [50])
})

test('a sign of life moves it', (t) => {
  const { idleTimer, missedAt, pass } = deadline(t)
  idleTimer.start(50)
  pass(30)
  idleTimer.start(50)
  pass(500)
  assert.deepEqual(missedAt, [80])
})

test('a shorter time holds at once', (t) => {
  const { idleTimer, missedAt, pass } = deadline(t)
  idleTimer.start(400)
  idleTimer.start(20)
  pass(500)
  assert.deepEqual(missedAt, [20])
})

test('what is stopped is never told of, until it is started again', (t) => {
  const { idleTimer, missedAt, pass } = deadline(t)
  idleTimer.start(50)
  idleTimer.stop()
  pass(100)
  assert.deepEqual(missedAt, [])
  idleTimer.start(50)
  pass(100)
  assert.deepEqual(missedAt, [150])
})
