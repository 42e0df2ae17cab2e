import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import type { FormAnswer } from '../../tools/tool.ts'
import { CallTimer } from './call-timer.ts'
import { PendingCalls } from './pending-calls.ts'

const { signal } = new AbortController()
const question = { mode: 'form' as const, message: 'Which?', requestedSchema: {} }

/** A context whose user answers when `answer` is called. Rejects when the question is withdrawn. */
function newUser() {
  const { promise, resolve, reject } = Promise.withResolvers<FormAnswer>()
  const elicit = (_: object, withdrawn: AbortSignal) => {
    withdrawn.addEventListener('abort', () => reject(new Error('withdrawn')))
    return promise
  }
  return { context: { elicit, signal }, answer: () => resolve({ action: 'decline' }) }
}

test('the time of a question does not count as time of a call', async () => {
  mock.timers.enable({ apis: ['setTimeout', 'Date'] })
  try {
    const timeouts: boolean[] = []
    const timer = new CallTimer({ timeoutMs: 100, maxTotalMs: 250 }, Date.now, (isTotal) => timeouts.push(isTotal))
    mock.timers.tick(90)
    timer.pause()
    mock.timers.tick(10_000)
    timer.resume()
    mock.timers.tick(90)
    timer.restart()
    assert.deepEqual(timeouts, [])
    mock.timers.tick(69)
    assert.deepEqual(timeouts, [])
    mock.timers.tick(1)
    assert.deepEqual(timeouts, [true])
  } finally {
    mock.timers.reset()
  }
})

test('a question stops the timers of all calls until it is answered', async () => {
  const pending = new PendingCalls()
  const user = newUser()
  const timer = new CallTimer({ timeoutMs: 60_000, maxTotalMs: 60_000 }, Date.now, () => {})
  await pending.track({ context: user.context, timer }, async () => {
    const answer = pending.ask(question, signal)
    assert.deepEqual([pending.isAsking, timer.isPaused], [true, true])
    user.answer()
    assert.deepEqual(await answer, { action: 'decline' })
    assert.deepEqual([pending.isAsking, timer.isPaused], [false, false])
  })
})

test('a question is withdrawn when the last call ends, and cancelled outside of calls', async () => {
  const pending = new PendingCalls()
  const timer = new CallTimer({ timeoutMs: 60_000, maxTotalMs: 60_000 }, Date.now, () => {})
  const withdrawal = await pending.track({ context: newUser().context, timer }, async () => ({
    answer: assert.rejects(pending.ask(question, signal), /withdrawn/),
  }))
  await withdrawal.answer
  assert.deepEqual(await pending.ask(question, signal), { action: 'cancel' })
})
