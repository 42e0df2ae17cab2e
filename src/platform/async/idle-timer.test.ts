import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '#test/harness/until.ts'
import { IdleTimer } from './idle-timer.ts'

/** An idle timer, the times at which it fired, and a function that advances the clock. */
function deadline({ mock }: TestContext) {
  let now = 0
  mock.method(performance, 'now', () => now)
  mock.timers.enable({ apis: ['setTimeout'] })
  const firedAt: number[] = []
  const pass = (ms: number) => {
    for (let at = 0; at < ms; at++) {
      now++
      mock.timers.tick(1)
    }
  }
  return { idleTimer: new IdleTimer(() => firedAt.push(now)), firedAt, pass }
}

test('an idle timer fires once, at its deadline', (t) => {
  const { idleTimer, firedAt, pass } = deadline(t)
  idleTimer.start(50)
  pass(500)
  assert.deepEqual(firedAt, [50])
})

test('start moves the deadline of a running idle timer', (t) => {
  const { idleTimer, firedAt, pass } = deadline(t)
  idleTimer.start(50)
  pass(30)
  idleTimer.start(50)
  pass(500)
  assert.deepEqual(firedAt, [80])
})

test('start with a shorter time moves the deadline forward', (t) => {
  const { idleTimer, firedAt, pass } = deadline(t)
  idleTimer.start(400)
  idleTimer.start(20)
  pass(500)
  assert.deepEqual(firedAt, [20])
})

test('a stopped idle timer does not fire until it is started again', (t) => {
  const { idleTimer, firedAt, pass } = deadline(t)
  idleTimer.start(50)
  idleTimer.stop()
  pass(100)
  assert.deepEqual(firedAt, [])
  idleTimer.start(50)
  pass(100)
  assert.deepEqual(firedAt, [150])
})

test('idle timers fire by their deadlines, in any order of start', (t) => {
  const { pass } = deadline(t)
  const fired: number[] = []
  for (const ms of [90, 30, 60]) new IdleTimer(() => fired.push(ms)).start(ms)
  pass(100)
  assert.deepEqual(fired, [30, 60, 90])
})

test('moving or stopping an idle timer does not affect the others', async () => {
  const fired: string[] = []
  const named = (name: string) => new IdleTimer(() => fired.push(name))
  const [moved, stopped, other] = [named('moved'), named('stopped'), named('other')]
  for (const timer of [moved, stopped, other]) timer.start(20)
  moved.start(60_000)
  stopped.stop()
  stopped.stop()
  await until(() => fired.length > 0)
  await sleep(40)
  assert.deepEqual(fired, ['other'])
  moved.start(10)
  await until(() => fired.length > 1)
  assert.deepEqual(fired, ['other', 'moved'])
})

test('an idle timer that fires can stop and start others', async () => {
  const fired: string[] = []
  const second = new IdleTimer(() => fired.push('second'))
  const third = new IdleTimer(() => fired.push('third'))
  const first = new IdleTimer(() => {
    fired.push('first')
    second.stop()
    third.start(5)
  })
  for (const timer of [first, second]) timer.start(10)
  await until(() => fired.includes('third'))
  assert.deepEqual(fired, ['first', 'third'])
})

test('an idle timer that throws does not delay the other expired timers', ({ mock }) => {
  // Not the timers of `mock`, which call a function that threw once more.
  const checks: (() => void)[] = []
  let now = 0
  mock.method(performance, 'now', () => now)
  mock.method(globalThis, 'setTimeout', (check: () => void) => {
    checks.push(check)
    return { unref: () => undefined }
  })
  const fired: string[] = []
  const failing = new IdleTimer(() => {
    throw new Error('a defect')
  })
  failing.start(50)
  new IdleTimer(() => fired.push('other')).start(50)
  now = 50
  assert.throws(checks.shift()!, /a defect/)
  checks.shift()?.()
  assert.deepEqual(fired, ['other'])
})
