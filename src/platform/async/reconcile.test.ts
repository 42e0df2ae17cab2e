import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { until } from '#test/harness/until.ts'
import { repeat, startReconciler } from './reconcile.ts'

const anHour = 3_600_000

/** A reconciler that records its passes and stops at the end of the test. */
function startCounting(t: TestContext, pass: (count: number) => Promise<number | undefined>, retryMs = anHour) {
  const stopping = new AbortController()
  t.after(() => stopping.abort())
  const errors: string[] = []
  const state = { passes: 0, errors, stop: () => stopping.abort(), trigger: () => {} }
  const { trigger } = startReconciler(() => pass(++state.passes), {
    signal: stopping.signal,
    retryMs,
    onError: ({ message }) => errors.push(message),
  })
  state.trigger = trigger
  return state
}

test('a reconciler runs no pass before its first trigger', async (t) => {
  const state = startCounting(t, async () => undefined)
  await new Promise(setImmediate)
  assert.equal(state.passes, 0)
  state.trigger()
  await until(() => state.passes === 1)
})

test('triggers during a pass are merged into one more pass', async (t) => {
  const first = Promise.withResolvers<undefined>()
  const state = startCounting(t, (count) => (count === 1 ? first.promise : Promise.resolve(undefined)))
  state.trigger()
  await until(() => state.passes === 1)
  for (let times = 0; times < 5; times++) state.trigger()
  assert.equal(state.passes, 1)
  first.resolve(undefined)
  await until(() => state.passes === 2)
  await new Promise(setImmediate)
  assert.equal(state.passes, 2)
})

test('a pass runs again after the delay that it returned', async (t) => {
  const state = startCounting(t, async (count) => (count < 3 ? 1 : undefined))
  state.trigger()
  await until(() => state.passes === 3)
})

test('a trigger ends the delay of a pass', async (t) => {
  const state = startCounting(t, async () => anHour)
  state.trigger()
  await until(() => state.passes === 1)
  state.trigger()
  await until(() => state.passes === 2)
})

test('a failed pass is reported and retried', async (t) => {
  const pass = async (count: number) => {
    if (count === 1) throw new Error('not yet')
    return undefined
  }
  const state = startCounting(t, pass, 1)
  state.trigger()
  await until(() => state.passes === 2)
  assert.deepEqual(state.errors, ['not yet'])
})

test('a stopped reconciler runs no further pass', async (t) => {
  const state = startCounting(t, async () => 1)
  state.trigger()
  await until(() => state.passes > 0)
  state.stop()
  const { passes } = state
  state.trigger()
  await new Promise((resolve) => setTimeout(resolve, 20))
  assert.ok(state.passes <= passes + 1)
})

test('stop resolves when the running pass has ended', async () => {
  const pass = Promise.withResolvers<undefined>()
  let isRunning = false
  const run = () => {
    isRunning = true
    return pass.promise
  }
  const { stop } = startReconciler(run, { firstMs: 0, retryMs: anHour, onError: assert.fail })
  await until(() => isRunning)
  let hasStopped = false
  const stopped = stop().then(() => {
    hasStopped = true
  })
  await new Promise(setImmediate)
  assert.equal(hasStopped, false)
  pass.resolve(undefined)
  await stopped
})

test('repeat calls again after an end and after a failure, until it is stopped', async () => {
  let calls = 0
  const errors: string[] = []
  const act = async () => {
    if (++calls === 2) throw new Error('not now')
  }
  const stop = repeat(act, { everyMs: 1, onError: ({ message }) => errors.push(message) })
  await until(() => calls >= 3)
  stop()
  const before = calls
  await new Promise((resolve) => setTimeout(resolve, 20))
  assert.deepEqual([calls, errors], [before, ['not now']])
})
