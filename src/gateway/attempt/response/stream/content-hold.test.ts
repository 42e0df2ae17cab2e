import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CompletionEvent } from '#chat/events.ts'
import { until } from '#test/harness/until.ts'
import { anthropicMessages } from '../../../providers/anthropic/anthropic-messages.ts'
import type { AttemptRequest } from '../../attempt-request.ts'
import { OneUse } from '../../one-use.ts'
import { AttemptExchange } from '../attempt-exchange.ts'

const sse = (event: object) => Buffer.from(`data: ${JSON.stringify(event)}\n\n`)
const opening = sse({ type: 'message_start', message: { id: 'm', usage: { input_tokens: 3 } } })
const ping = sse({ type: 'ping' })
const text = sse({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } })
const failure = sse({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } })

function attempt(contentHoldMs: number) {
  const log: string[] = []
  const receiver = {
    onStart: () => void log.push('started'),
    onEvents: (events: CompletionEvent[]) => void log.push(...events.map(({ type }) => type)),
    openResponse: () => void log.push('opened'),
    flush() {},
    onEnd() {},
  }
  const upstreamRequest = new OneUse({ origin: 'http://x', path: '/', headers: {}, body: '{}' })
  const ask = { providerProtocol: anthropicMessages, stream: true, contentHoldMs, upstreamRequest } as AttemptRequest
  const response = new AttemptExchange(ask, receiver, Date.now)
  response.start({ send: () => ({ abort() {}, pause() {}, resume() {} }) })
  response.head(200, { 'content-type': 'text/event-stream' })
  return { answer: response, log }
}

test('events before the first content are held and delivered in order', () => {
  const { answer: response, log } = attempt(600_000)
  for (const event of [opening, ping]) response.data(event)
  assert.deepEqual(log, [])
  response.data(text)
  assert.deepEqual(
    log,
    ['started', 'started', 'usage', 'text'].filter((type) => type !== 'usage'),
  )
  response.dispose()
})

test('a failure before content settles the attempt, and the receiver gets nothing', async () => {
  const { answer: response, log } = attempt(600_000)
  for (const event of [opening, failure]) response.data(event)
  assert.deepEqual(log, [])
  const outcome = await response.outcome
  assert.deepEqual([outcome.kind, outcome.kind === 'unanswered' && outcome.failure.canTryNext], ['unanswered', true])
  response.dispose()
})

test('after the hold time the response opens, and the endpoint is final', async () => {
  const { answer: response, log } = attempt(5)
  response.data(opening)
  await until(() => log.includes('opened'))
  response.data(failure)
  assert.equal((await response.outcome).kind, 'broken_off')
})
