import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createUpstreams } from '../../attempt/upstream/create-upstreams.ts'
import type { Exchange, Sink, TransportFailure } from '../../attempt/upstream/upstream.ts'
import { demoOrigin } from './demo.ts'

type Heard = { status?: number; headers?: object; text: string; failure?: TransportFailure; exchange: Exchange }

const deadlines = { firstByteMs: 60_000, silenceMs: 60_000, usageMs: 60_000 }

/**
 * The demo model's answer, called as an upstream.
 * @param meanwhile called when the first piece has come.
 */
function answerTo(
  prompt: string,
  {
    stream = true,
    meanwhile = () => {},
    ...limits
  }: Partial<typeof deadlines & Record<string, unknown>> & {
    meanwhile?: (exchange: Exchange) => void
  } = {},
): Promise<Heard> {
  const body = JSON.stringify({ stream, messages: [{ role: 'user', content: prompt }] })
  const upstreams = createUpstreams({ connectMs: 60_000 })
  return new Promise<Heard>((resolve) => {
    const heard = { text: '' } as Heard
    const over = (more: object = {}) => resolve({ ...heard, ...more })
    const sink: Sink = {
      head: (status, headers) => Object.assign(heard, { status, headers }),
      data(chunk) {
        if (heard.text === '') meanwhile(heard.exchange)
        heard.text += chunk
      },
      end: over,
      failed: (failure) => over({ failure }),
    }
    const request = { origin: demoOrigin, path: '/', headers: {}, body }
    heard.exchange = upstreams.send(request, { ...deadlines, ...limits }, sink)
    if (prompt.startsWith('left')) heard.exchange.abort()
  }).finally(upstreams.close)
}

const chunksOf = ({ text }: Heard) =>
  text
    .split('\n\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice(6)))

test('an answer of the demo model is one of OpenAI, with its name, its time and what it took', async () => {
  const whole = JSON.parse((await answerTo('hello', { stream: false })).text)
  assert.match(whole.id, /^chatcmpl-/)
  assert.equal(whole.model, 'signalbox/demo')
  assert.ok(Math.abs(whole.created - Date.now() / 1000) < 600)
  assert.match(whole.choices[0].message.content, /You said: hello/)
  const stream = await answerTo('hello')
  assert.deepEqual(stream.headers, { 'content-type': 'text/event-stream' })
  const streamed = chunksOf(stream)
  assert.match(streamed[0].id, /^chatcmpl-/)
  assert.equal(streamed.at(-1).usage.prompt_tokens, whole.usage.prompt_tokens)
})

test('it breaks off with an error in the answer, said in a stream and in a whole answer', async () => {
  const streamed = await answerTo('demo:break')
  assert.equal(streamed.status, 200)
  assert.deepEqual(chunksOf(streamed).at(-1).error.code, 502)
  assert.equal(streamed.failure, undefined)
  assert.doesNotMatch(streamed.text, /DONE/)
  const whole = await answerTo('demo:break', { stream: false })
  assert.match(JSON.parse(whole.text).error.message, /asked to break off/)
})

test('it hangs up: in a stream amid the answer, in a whole one before the first byte', async () => {
  assert.deepEqual((await answerTo('demo:cut')).failure, {
    kind: 'reset',
    phase: 'answer',
    message: 'the demo model hung up',
  })
  const whole = await answerTo('demo:cut', { stream: false })
  assert.equal(whole.failure!.phase, 'first_byte')
  assert.equal(whole.text, '')
})

test('it refuses with the status that was asked for, and says when to come again', async () => {
  const { status, headers, text } = await answerTo('demo:error=429')
  assert.equal(status, 429)
  assert.deepEqual(headers, { 'content-type': 'application/json', 'retry-after': '1' })
  assert.deepEqual(JSON.parse(text).error.code, 429)
  assert.equal('retry-after' in (await answerTo('demo:error=500')).headers!, false)
})

test('who leaves hears of nothing but that, also before a refusal', async () => {
  for (const prompt of ['left', 'left demo:error=500']) {
    const { status, text, failure } = await answerTo(prompt)
    assert.deepEqual([status, text, failure!.kind], [undefined, '', 'aborted'])
  }
})

test('it falls silent, and the deadline between two pieces says so, not while the reader pauses', async () => {
  const { failure } = await answerTo('demo:stall', { silenceMs: 30 })
  assert.deepEqual([failure!.kind, failure!.phase], ['timeout', 'answer'])
  const paused = await answerTo('hello', {
    silenceMs: 30,
    meanwhile(exchange) {
      exchange.pause()
      setTimeout(() => exchange.resume(), 100)
    },
  })
  assert.equal(paused.failure, undefined)
  assert.match(paused.text, /DONE/)
})

test('who leaves amid the answer hears of that once, and of nothing after it', async () => {
  let heard = 0
  const body = JSON.stringify({ stream: true, messages: [{ role: 'user', content: 'hello' }] })
  const upstreams = createUpstreams({ connectMs: 60_000 })
  const told: string[] = []
  await new Promise<void>((resolve) => {
    const sink: Sink = {
      head: () => void told.push('head'),
      data() {
        if (heard++ > 0) return void told.push('data')
        exchange.abort()
        exchange.abort()
        exchange.pause()
        exchange.resume()
        setTimeout(resolve, 50)
      },
      end: () => void told.push('end'),
      failed: ({ kind }) => void told.push(kind),
    }
    const exchange = upstreams.send({ origin: demoOrigin, path: '/', headers: {}, body }, deadlines, sink)
  })
  await upstreams.close()
  assert.deepEqual(told, ['head', 'aborted'])
})

test('a reader who pauses gets nothing until it goes on', async () => {
  const body = JSON.stringify({ stream: true, messages: [{ role: 'user', content: 'hello' }] })
  const upstreams = createUpstreams({ connectMs: 60_000 })
  const got: string[] = []
  await new Promise<void>((resolve, failed) => {
    const goOn = () => {
      got.push('going on')
      exchange.resume()
    }
    const sink: Sink = {
      head: () => {},
      data() {
        if (got.length === 0) {
          exchange.pause()
          setTimeout(goOn, 50)
        }
        got.push('piece')
      },
      end: resolve,
      failed,
    }
    const exchange = upstreams.send({ origin: demoOrigin, path: '/', headers: {}, body }, deadlines, sink)
  })
  await upstreams.close()
  assert.deepEqual(got.slice(0, 3), ['piece', 'going on', 'piece'])
})
