import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '#test/harness/until.ts'
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

test('each is due in its own time, in whatever order they were started', (t) => {
  const { pass } = deadline(t)
  const broken: number[] = []
  for (const ms of [90, 30, 60]) new IdleTimer(() => broken.push(ms)).start(ms)
  pass(100)
  assert.deepEqual(broken, [30, 60, 90])
})

test('one that was moved or stopped is not due, and the others are all the same', async () => {
  const broken: string[] = []
  const named = (name: string) => new IdleTimer(() => broken.push(name))
  const [moved, stopped, other] = [named('moved'), named('stopped'), named('other')]
  for (const timer of [moved, stopped, other]) timer.start(20)
  moved.start(60_000)
  stopped.stop()
  stopped.stop()
  await until(() => broken.length > 0)
  await sleep(40)
  assert.deepEqual(broken, ['other'])
  moved.start(10)
  await until(() => broken.length > 1)
  assert.deepEqual(broken, ['other', 'moved'])
})

test('one that breaks may stop and start others', async () => {
  const broken: string[] = []
  const second = new IdleTimer(() => broken.push('second'))
  const third = new IdleTimer(() => broken.push('third'))
  const first = new IdleTimer(() => {
    broken.push('first')
    second.stop()
    third.start(5)
  })
  for (const timer of [first, second]) timer.start(10)
  await until(() => broken.includes('third'))
  assert.deepEqual(broken, ['first', 'third'])
})
