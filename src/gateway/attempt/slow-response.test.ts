import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { endpointFor } from '#test/harness/upstream/endpoints/encode-request.ts'
import type { Target } from '../plan/plan.ts'
import { openaiChat } from '../providers/openai-chat/openai-chat.ts'
import { performAttempt } from './attempt.ts'
import type { AttemptRequest } from './attempt-request.ts'
import { OneUse } from './one-use.ts'
import type { Receiver } from './response/receiver.ts'
import type { Exchange, Sink } from './upstream/upstream.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

const exchange: Exchange = { abort() {}, pause() {}, resume() {} }
const silent: Receiver = { onStart() {}, onEvents() {}, flush() {}, onEnd() {} }

/** An attempt whose upstream is driven by the test. */
function startAttempt(receiver: Receiver = silent): { sink: Sink; finished: ReturnType<typeof performAttempt> } {
  const attemptRequest: AttemptRequest = {
    responseId: 'gen-1',
    choiceCount: 1,
    outputLimit: undefined,
    toolNames: undefined,
    target: { endpoint: endpointFor('m') } as Target,
    providerProtocol: openaiChat,
    upstreamRequest: new OneUse({ origin: 'http://x', path: '/', headers: {}, body: '{}' }),
    credential: undefined,
    credentialOwner: 'service' as const,
    stream: false,
    timeouts: { firstByteMs: 60_000, idleMs: 60_000, usageMs: 60_000 },
    contentHoldMs: 60_000,
  }
  let sink: Sink | undefined
  const send = (_request: unknown, _timeouts: unknown, taken: Sink) => {
    sink = taken
    return exchange
  }
  const upstreams = { send, close: async () => {} }
  const finished = performAttempt({ upstreams, now: Date.now }, attemptRequest, receiver, new AbortController().signal)
  return { sink: sink!, finished }
}

const response = '{"choices":[{"message":{"content":"Hi"},"finish_reason":"stop"}]}'

test('a response that arrives byte by byte uses about its size in memory', async () => {
  const { sink, finished } = startAttempt()
  const spaces = Buffer.alloc(65_536, ' ')
  collectGarbage()
  const before = process.memoryUsage().heapUsed
  sink.head(200, { 'content-type': 'application/json' })
  for (let byte = 0; byte < 1_000_000; byte++) sink.data(spaces.subarray(byte % 65_536, (byte % 65_536) + 1))
  collectGarbage()
  const usedBytes = process.memoryUsage().heapUsed - before
  sink.data(Buffer.from(response))
  sink.end()
  assert.equal((await finished).outcome.kind, 'complete')
  assert.ok(usedBytes < 20e6, `${usedBytes} bytes for a million`)
})

test('a response that cannot be written fails, and the attempt ends', { timeout: 600_000 }, async () => {
  const ended = () => {
    throw new RangeError('Invalid string length')
  }
  const { sink, finished } = startAttempt({ ...silent, onEnd: ended })
  sink.head(200, { 'content-type': 'application/json' })
  sink.data(Buffer.from(response))
  sink.end()
  const { outcome } = await finished
  assert.ok(outcome.kind === 'broken_off')
  assert.match(outcome.failure.message, /cannot be read: Invalid string length/)
})
