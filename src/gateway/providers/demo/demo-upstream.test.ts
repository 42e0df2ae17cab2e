import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createUpstreams } from '../../attempt/upstream/create-upstreams.ts'
import type { Exchange, Sink, TransportFailure } from '../../attempt/upstream/upstream.ts'
import { demoOrigin } from './demo-upstream.ts'

type Received = { status?: number; headers?: object; text: string; failure?: TransportFailure; exchange: Exchange }

const timeouts = { firstByteMs: 60_000, idleMs: 60_000, usageMs: 60_000 }

/**
 * The demo model's response, called as an upstream.
 * @param meanwhile called when the first piece has arrived.
 */
function respondTo(
  prompt: string,
  {
    stream = true,
    meanwhile = () => {},
    ...limits
  }: Partial<typeof timeouts & Record<string, unknown>> & {
    meanwhile?: (exchange: Exchange, received: Received) => void
  } = {},
): Promise<Received> {
  const body = JSON.stringify({ stream, messages: [{ role: 'user', content: prompt }] })
  const upstreams = createUpstreams({ connectMs: 60_000 })
  return new Promise<Received>((resolve) => {
    const received = { text: '' } as Received
    const over = (more: object = {}) => resolve({ ...received, ...more })
    const sink: Sink = {
      head: (status, headers) => Object.assign(received, { status, headers }),
      data(chunk) {
        if (received.text === '') meanwhile(received.exchange, received)
        received.text += chunk
      },
      end: over,
      fail: (failure) => over({ failure }),
    }
    const request = { origin: demoOrigin, path: '/', headers: {}, body }
    received.exchange = upstreams.send(request, { ...timeouts, ...limits }, sink)
    if (prompt.startsWith('left')) received.exchange.abort()
  }).finally(upstreams.close)
}

const chunksOf = ({ text }: Received) =>
  text
    .split('\n\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice(6)))

const wordsOf = (received: Received) =>
  chunksOf(received)
    .map(({ choices }) => choices[0]?.delta.content ?? '')
    .join('')

test('a response of the demo model has model, time and usage', async () => {
  const whole = JSON.parse((await respondTo('hello', { stream: false })).text)
  assert.match(whole.id, /^chatcmpl-/)
  assert.equal(whole.model, 'signalbox/demo')
  assert.ok(Math.abs(whole.created - Date.now() / 1000) < 600)
  assert.match(whole.choices[0].message.content, /You said: hello/)
  const stream = await respondTo('hello')
  assert.deepEqual(stream.headers, { 'content-type': 'text/event-stream' })
  const streamed = chunksOf(stream)
  assert.match(streamed[0].id, /^chatcmpl-/)
  assert.equal(streamed.at(-1).usage.prompt_tokens, whole.usage.prompt_tokens)
})

test('it breaks off with an error, streamed or whole', async () => {
  const streamed = await respondTo('demo:break')
  assert.equal(streamed.status, 200)
  assert.deepEqual(chunksOf(streamed).at(-1).error.code, 502)
  assert.equal(streamed.failure, undefined)
  assert.doesNotMatch(streamed.text, /DONE/)
  const whole = await respondTo('demo:break', { stream: false })
  assert.match(JSON.parse(whole.text).error.message, /asked to break off/)
})

test('it disconnects within a stream, or before a whole response', async () => {
  assert.deepEqual((await respondTo('demo:cut')).failure, {
    kind: 'reset',
    phase: 'response',
    message: 'the demo model closed the connection',
  })
  const whole = await respondTo('demo:cut', { stream: false })
  assert.equal(whole.failure!.phase, 'first_byte')
  assert.equal(whole.text, '')
})

test('it refuses with the requested status and Retry-After', async () => {
  const { status, headers, text } = await respondTo('demo:error=429')
  assert.equal(status, 429)
  assert.deepEqual(headers, { 'content-type': 'application/json', 'retry-after': '1' })
  assert.deepEqual(JSON.parse(text).error.code, 429)
  assert.equal('retry-after' in (await respondTo('demo:error=500')).headers!, false)
})

test('an aborted request only reports the abort', async () => {
  for (const prompt of ['left', 'left demo:error=500']) {
    const { status, text, failure } = await respondTo(prompt)
    assert.deepEqual([status, text, failure!.kind], [undefined, '', 'aborted'])
  }
})

test('it falls silent until the timeout, which ignores paused readers', async () => {
  const { failure } = await respondTo('demo:stall', { idleMs: 30 })
  assert.deepEqual([failure!.kind, failure!.phase], ['timeout', 'response'])
  const paused = await respondTo('hello', {
    idleMs: 30,
    meanwhile(exchange) {
      exchange.pause()
      setTimeout(() => exchange.resume(), 100)
    },
  })
  assert.equal(paused.failure, undefined)
  assert.match(paused.text, /DONE/)
})

test('an abort within the response is reported once, and nothing follows', async () => {
  let chunks = 0
  const body = JSON.stringify({ stream: true, messages: [{ role: 'user', content: 'hello' }] })
  const upstreams = createUpstreams({ connectMs: 60_000 })
  const calls: string[] = []
  await new Promise<void>((resolve) => {
    const sink: Sink = {
      head: () => void calls.push('head'),
      data() {
        if (chunks++ > 0) return void calls.push('data')
        exchange.abort()
        exchange.abort()
        exchange.pause()
        exchange.resume()
        setTimeout(resolve, 50)
      },
      end: () => void calls.push('end'),
      fail: ({ kind }) => void calls.push(kind),
    }
    const exchange = upstreams.send({ origin: demoOrigin, path: '/', headers: {}, body }, timeouts, sink)
  })
  await upstreams.close()
  assert.deepEqual(calls, ['head', 'aborted'])
})

test('a paused reader gets nothing until it resumes', async () => {
  const body = JSON.stringify({ stream: true, messages: [{ role: 'user', content: 'hello' }] })
  const upstreams = createUpstreams({ connectMs: 60_000 })
  const received: string[] = []
  await new Promise<void>((resolve, fail) => {
    const resume = () => {
      received.push('resumed')
      exchange.resume()
    }
    const sink: Sink = {
      head: () => {},
      data() {
        if (received.length === 0) {
          exchange.pause()
          setTimeout(resume, 50)
        }
        received.push('piece')
      },
      end: resolve,
      fail,
    }
    const exchange = upstreams.send({ origin: demoOrigin, path: '/', headers: {}, body }, timeouts, sink)
  })
  await upstreams.close()
  assert.deepEqual(received.slice(0, 3), ['piece', 'resumed', 'piece'])
})

test('a response is complete if its reader pauses within the delay of a word', async () => {
  const complete = await respondTo('demo:pace=20 hello')
  const paused = await respondTo('demo:pace=20 hello', {
    meanwhile: (exchange) =>
      setTimeout(() => {
        exchange.pause()
        exchange.resume()
      }, 5),
  })
  assert.equal(paused.failure, undefined)
  assert.equal(wordsOf(paused), wordsOf(complete))
})

test('nothing arrives while the reader pauses within the delay of a word', async () => {
  const lengths: number[] = []
  await respondTo('demo:pace=20 hello', {
    meanwhile: (exchange, received) =>
      setTimeout(() => {
        exchange.pause()
        lengths.push(received.text.length)
        setTimeout(() => {
          lengths.push(received.text.length)
          exchange.resume()
        }, 100)
      }, 5),
  })
  assert.equal(lengths[1], lengths[0])
})
