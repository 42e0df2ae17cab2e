import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { sendDemoError } from './demo-error.ts'

/** Sends an error to a sink. @returns the exchange and the calls of the sink. */
function send() {
  const calls: string[] = []
  const note = (call: string) => () => void calls.push(call)
  const sink = { head: note('head'), data: note('data'), end: note('end'), fail: note('fail') }
  return { exchange: sendDemoError({ status: 429, message: 'busy' }, sink), calls }
}

test('a demo error that is aborted after its end does not fail', async () => {
  const { exchange, calls } = send()
  await nextTurn()
  exchange.abort()
  assert.deepEqual(calls, ['head', 'data', 'end'])
})

test('a demo error that is aborted before it is sent fails once', async () => {
  const { exchange, calls } = send()
  exchange.abort()
  exchange.abort()
  await nextTurn()
  assert.deepEqual(calls, ['fail'])
})
