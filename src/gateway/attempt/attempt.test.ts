import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { CompletionEvent } from '#chat/events.ts'
import { endpointFor } from '#test/harness/upstream/endpoints/encode-request.ts'
import {
  chunk,
  deltaEvent,
  doneEvent,
  type FaultyBehaviour,
  head,
  startFaultyUpstream,
  usageChunk,
} from '#test/harness/upstream/faulty/faulty-upstream.ts'
import type { Target } from '../plan/plan.ts'
import { openaiChat } from '../providers/openai-chat/openai-chat.ts'
import { performAttempt } from './attempt.ts'
import type { AttemptFailure } from './failure/failure.ts'
import { OneUse } from './one-use.ts'
import type { AttemptOutcome } from './response/attempt-exchange.ts'
import { createUpstreams } from './upstream/create-upstreams.ts'

/** Leaves when the response has been read to its end. @returns what came, and whether it was whole. */
async function leaveAtEnd(
  play: FaultyBehaviour,
  usageMs = 60_000,
): Promise<{ events: CompletionEvent[]; whole: boolean }> {
  await using upstream = await startFaultyUpstream({ play })
  const upstreams = createUpstreams({ connectMs: 60_000 })
  const leaving = new AbortController()
  const events: CompletionEvent[] = []
  let whole = false
  const attemptRequest = {
    target: { endpoint: endpointFor('play') } as Target,
    responseId: 'gen-1',
    choiceCount: 1,
    outputLimit: undefined,
    toolNames: undefined,
    providerProtocol: openaiChat,
    upstreamRequest: new OneUse({
      origin: new URL(upstream.url).origin,
      path: '/v1/chat/completions',
      headers: { 'content-type': 'application/json' },
      body: '{"model":"play"}',
    }),
    credential: undefined,
    credentialOwner: 'service' as const,
    stream: true,
    timeouts: { firstByteMs: 60_000, idleMs: 60_000, usageMs },
    contentHoldMs: 60_000,
  }
  const receiver = {
    onStart: () => {},
    onEvents: (read: CompletionEvent[]) => void events.push(...read),
    flush: () => void (events.some(({ type }) => type === 'finish') && leaving.abort()),
    onEnd: () => {
      whole = true
    },
  }
  await performAttempt({ upstreams, now: Date.now }, attemptRequest, receiver, leaving.signal)
  await upstreams.close()
  return { events, whole }
}

const ending = deltaEvent({ content: 'Hi' }) + deltaEvent({}, 'stop')
const hasUsage = (events: CompletionEvent[]) => events.some(({ type }) => type === 'usage')

describe('a client that disconnects at the end of its response', () => {
  test('has its response read to the usage', async () => {
    const { events, whole } = await leaveAtEnd(({ socket }) => {
      socket.write(head() + chunk(ending))
      setTimeout(() => socket.write(chunk(usageChunk + doneEvent)), 50)
    })
    assert.deepEqual([hasUsage(events), whole], [true, true])
  })

  test('has its response read until the timeout', async () => {
    const { events, whole } = await leaveAtEnd(({ socket }) => void socket.write(head() + chunk(ending)), 50)
    assert.deepEqual([hasUsage(events), whole], [false, false])
  })

  test('has its response read for at most a megabyte', async () => {
    const { events, whole } = await leaveAtEnd(({ socket }) => {
      socket.write(head() + chunk(ending))
      const more = chunk(`: ${'x'.repeat(100_000)}\n\n`)
      const writing = setInterval(() => socket.write(more), 1)
      socket.on('close', () => clearInterval(writing))
    })
    assert.deepEqual([hasUsage(events), whole], [false, false])
  })
})

/** Runs one attempt and returns its outcome. */
async function outcomeOf(
  play: FaultyBehaviour,
  { stream = true, ...limits }: { stream?: boolean; firstByteMs?: number } = {},
) {
  await using upstream = await startFaultyUpstream({ play })
  const upstreams = createUpstreams({ connectMs: 60_000 })
  const { origin } = new URL(upstream.url)
  const headers = { 'content-type': 'application/json' }
  const attemptRequest = {
    target: { endpoint: endpointFor('play') } as Target,
    responseId: 'gen-1',
    choiceCount: 1,
    outputLimit: undefined,
    toolNames: undefined,
    providerProtocol: openaiChat,
    upstreamRequest: new OneUse({ origin, path: '/v1/chat/completions', headers, body: '{"model":"play"}' }),
    credential: undefined,
    credentialOwner: 'service' as const,
    stream,
    timeouts: { firstByteMs: 60_000, idleMs: 60_000, usageMs: 60_000, ...limits },
    contentHoldMs: 60_000,
  }
  const receiver = { onStart() {}, onEvents() {}, flush() {}, onEnd() {} }
  const { signal } = new AbortController()
  const { outcome } = await performAttempt({ upstreams, now: Date.now }, attemptRequest, receiver, signal)
  await upstreams.close()
  return outcome
}

function failureOf(outcome: AttemptOutcome): AttemptFailure {
  assert.ok(outcome.kind !== 'complete')
  return outcome.failure
}

test('a byte order mark before a whole response is ignored', async () => {
  const response = '\ufeff{"choices":[{"message":{"content":"Hi"},"finish_reason":"stop"}]}'
  const json: FaultyBehaviour = ({ socket }) => void socket.end(head('application/json') + chunk(response) + chunk(''))
  assert.equal((await outcomeOf(json, { stream: false })).kind, 'complete')
})

test('the content type in any case and spaces after the end mark are accepted', async () => {
  const body = `${deltaEvent({ content: 'Hi' })}${deltaEvent({}, 'stop')}data: [DONE]  \n\n`
  const play: FaultyBehaviour = ({ socket }) => void socket.end(head('Text/Event-Stream') + chunk(body) + chunk(''))
  assert.deepEqual(await outcomeOf(play), { kind: 'complete' })
})

test('a connection that breaks completes the response only after its last content', async () => {
  const breaksAfter = (body: string) => () =>
    outcomeOf(
      ({ socket }) => void socket.write(head() + chunk(body), () => setTimeout(() => socket.resetAndDestroy(), 30)),
    )
  const [whole, cut] = [
    await breaksAfter(deltaEvent({ content: 'Hi' }) + deltaEvent({}, 'stop'))(),
    await breaksAfter(deltaEvent({ content: 'Hi' }))(),
  ]
  assert.deepEqual([whole.kind, cut.kind], ['complete', 'broken_off'])
})

test('a stream declared as JSON is read, even if its first chunk ends before an object', async () => {
  const play: FaultyBehaviour = async ({ socket }) => {
    socket.write(head('application/json') + chunk('data: '))
    await new Promise((resolve) => setTimeout(resolve, 100))
    const rest = `${deltaEvent({ content: 'Hi' })}${deltaEvent({}, 'stop')}${doneEvent}`.slice('data: '.length)
    socket.end(Buffer.concat([chunk(rest), chunk('')]))
  }
  assert.deepEqual(await outcomeOf(play), { kind: 'complete' })
})

describe('an attempt without a response', () => {
  test('that ends at once was sent, and another endpoint can be tried', async () => {
    const failure = failureOf(await outcomeOf(({ socket }) => void socket.end(head() + chunk(''))))
    assert.deepEqual([failure.wasSent, failure.canTryNext], [true, true])
    assert.match(failure.message, /ended its response too early/)
  })

  test('that ends in the middle breaks off', async () => {
    const outcome = await outcomeOf(
      ({ socket }) => void socket.end(head() + chunk(deltaEvent({ content: 'Hi' })) + chunk('')),
    )
    assert.equal(outcome.kind, 'broken_off')
    assert.match(failureOf(outcome).message, /ended its response too early/)
  })

  const manyEvents = 100_001
  const floods: Record<string, [start: string, message: RegExp]> = {
    'a megabyte of comments': [`: ${'x'.repeat(1024 ** 2)}\n\n`, /it has no event in 1048576 bytes/],
    'a list that does not end': ['data: [{"a":1}\n\n', /Expected ',' or ']'/],
    'an object before such a list': ['data: {}[{}\n\n', /Expected ',' or ']'/],
    'objects on one line': [`data: ${'{}'.repeat(manyEvents)}\n\n`, /Unexpected non-whitespace character/],
    'events without content': [deltaEvent({ role: 'assistant' }).repeat(manyEvents), /events in a row have no content/],
    'lines without fields': ['{}\n'.repeat(manyEvents), /events in a row have no content/],
    'lines without a blank one': [`${'data: {}\n'.repeat(manyEvents)}\n`, /an event has over 100000 lines/],
  }
  for (const [name, [start, message]] of Object.entries(floods))
    test(`that starts with ${name} cannot be read`, async () => {
      const long: FaultyBehaviour = ({ socket }) => {
        socket.write(head() + chunk(start) + chunk(ending + doneEvent))
        socket.end(chunk(''))
      }
      for (const stream of [true, false]) {
        const failure = failureOf(await outcomeOf(long, { stream }))
        assert.match(failure.message, /cannot be read: /)
        assert.match(failure.message, message)
      }
    })

  test('that times out has a reason with the time', async () => {
    // Long enough for the connection on a busy machine.
    const failure = failureOf(await outcomeOf(() => {}, { firstByteMs: 1500 }))
    assert.deepEqual([failure.wasSent, failure.canTryNext], [true, true])
    assert.equal(failure.reason, 'no byte for 1500 ms (first_byte)')
    assert.equal(failure.providerMessage, 'no byte for 1500 ms (first_byte)')
  })

  test('that is closed is a lost connection', async () => {
    const failure = failureOf(await outcomeOf(({ socket }) => void socket.destroy()))
    assert.deepEqual([failure.isConnectionLost, failure.wasSent, failure.reason], [true, true, 'reset (first_byte)'])
  })

  test('that is refused has the status, streamed or whole', async () => {
    const refusing: FaultyBehaviour = ({ socket }) =>
      void socket.end(
        'HTTP/1.1 503 No\r\ncontent-type: application/json\r\nretry-after: 7\r\nconnection: close\r\n\r\n{"error":{"message":"Busy."}}',
      )
    for (const stream of [true, false]) {
      const failure = failureOf(await outcomeOf(refusing, { stream }))
      assert.equal(failure.canTryNext, true)
      assert.match(JSON.stringify(failure), /503/)
      assert.match(JSON.stringify(failure), /Busy/)
    }
  })
})
