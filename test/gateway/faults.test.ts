import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { chunksOf, startFaultyService, textOf } from '#test/harness/service/faulty-service.ts'
import type { TestService } from '#test/harness/service/service.ts'
import { untilMetered } from '#test/harness/service/world/generation-record.ts'
import { earlyFaults, lateFaults, rateLimits, validResponses } from '#test/harness/upstream/faulty/faults.ts'
import {
  type FaultyRequest,
  type FaultyUpstream,
  startFaultyUpstream,
} from '#test/harness/upstream/faulty/faulty-upstream.ts'

const behaviours = {
  ...validResponses,
  slow: (request: FaultyRequest) => setTimeout(() => validResponses.ok!(request), 2000),
  ...rateLimits,
  ...Object.fromEntries(
    [...Object.entries(earlyFaults), ...Object.entries(lateFaults)].map(([name, { behaviour }]) => [name, behaviour]),
  ),
}
let upstream: FaultyUpstream
let patient: TestService
/** For what ends by a deadline alone; long enough for another endpoint to answer on a busy machine. */
let hasty: TestService
const endsByDeadline = ['never_answers', 'only_head', 'mute', 'silent_later']
before(async () => {
  upstream = await startFaultyUpstream(behaviours)
  patient = await startFaultyService(upstream, Object.keys(behaviours))
  const settings = {
    connect_timeout_ms: 4000,
    first_byte_timeout_ms: 4000,
    whole_response_timeout_ms: 4000,
    silence_timeout_ms: 4000,
  }
  hasty = await startFaultyService(upstream, Object.keys(behaviours), { settings })
})
after(async () => {
  await Promise.all([patient[Symbol.asyncDispose](), hasty[Symbol.asyncDispose]()])
  await upstream[Symbol.asyncDispose]()
})

const serviceFor = (model: string) => (endsByDeadline.includes(model.split('/')[1]!) ? hasty : patient)

const ask = (model: string, more: object = {}) =>
  serviceFor(model).ask('POST', '/chat/completions', {
    body: {
      model,
      messages: [{ role: 'user', content: 'Hi' }],
      provider: { order: ['faulty', 'refused', 'mute'] },
      ...more,
    },
  })

const meteredOf = (model: string, headers: Headers) => untilMetered(serviceFor(model), headers.get('x-generation-id'))

const streamsOnly = [
  'crlf',
  'comments',
  'bytewise',
  'umlauts',
  'without_done',
  'stays_open',
  'big_event',
  'pretty_usage',
]
const expected: Record<string, string> = { umlauts: 'Grüße aus 東京 🚂', big_event: 'x'.repeat(10 * 1024 * 1024) }

describe('a sound response', { concurrency: 8 }, () => {
  for (const name of Object.keys(validResponses)) {
    if (name !== 'stream_for_json')
      test(`is streamed whole: ${name}`, async () => {
        const { status, text, headers } = await ask(`faulty/${name}`, {
          stream: true,
          stream_options: { include_usage: true },
        })
        assert.equal(status, 200)
        assert.equal(textOf(text), expected[name] ?? 'Hello world')
        assert.match(text, /data: \[DONE\]\n\n$/)
        assert.deepEqual(chunksOf(text).at(-1).usage, {
          prompt_tokens: 7,
          completion_tokens: 3,
          total_tokens: 10,
          cost: 0.000037,
        })
        assert.equal((await meteredOf(`faulty/${name}`, headers)).total_cost, 0.000037)
      })
    if (!streamsOnly.includes(name))
      test(`is given whole: ${name}`, async () => {
        const { status, body } = await ask(`faulty/${name}`)
        assert.equal(status, 200)
        assert.equal(body.choices[0].message.content, 'Hello world')
        assert.equal(body.usage.cost, 0.000037)
      })
  }
})

const wholeOnly = ['truncated_json', 'not_json', 'ok_with_error']
const streamOnly = [
  'empty_stream',
  'only_done',
  'error_first',
  'malformed_first',
  'truncated_gzip',
  'only_head',
  'closed_after_head',
]
const unreachable = { refused: { status: 502, tryNext: true }, mute: { status: 408, tryNext: true } }

describe('a failure before the first byte', { concurrency: 16 }, () => {
  for (const [name, { status, tryNext }] of Object.entries({ ...earlyFaults, ...unreachable })) {
    const ways = [...(wholeOnly.includes(name) ? [] : [true]), ...(streamOnly.includes(name) ? [] : [false])]
    for (const stream of ways) {
      const how = stream ? 'streamed' : 'whole'
      test(`is reported by its status, ${how}: ${name}`, async () => {
        const response = await ask(`faulty/${name}`, { stream })
        assert.equal(response.status, status, response.text)
        assert.equal(response.body.error.code, status)
        assert.doesNotMatch(response.text, /sk-0123/)
        const { outcome, attempts, total_cost } = await meteredOf(`faulty/${name}`, response.headers)
        assert.deepEqual([outcome, attempts.length, total_cost], ['failed', 1, 0])
      })
      if (tryNext)
        test(`is never noticed where another endpoint answers, ${how}: ${name}`, async () => {
          const response = await ask(`backed/${name}`, { stream })
          assert.equal(response.status, 200, response.text)
          assert.equal(stream ? textOf(response.text) : response.body.choices[0].message.content, 'Hello world')
          const { attempts, provider_name } = await meteredOf(`backed/${name}`, response.headers)
          assert.deepEqual([attempts.length, attempts[1].outcome, provider_name], [2, 'answered', 'sound'])
        })
    }
  }
})

describe('an upstream that limits the rate', () => {
  for (const name of Object.keys(rateLimits)) {
    test(`is paused for the requested time, for every request: ${name}`, async () => {
      const first = await ask(`faulty/${name}`)
      assert.equal(first.status, 429, first.text)
      assert.match(first.headers.get('retry-after') ?? '', /^([5-6]\d|70)$/)
      const second = await ask(`faulty/${name}`)
      assert.equal(second.status, 503)
      assert.match(second.headers.get('retry-after') ?? '', /^([5-6]\d|70)$/)
      assert.equal(upstream.requests.filter(({ modelName }) => modelName === name).length, 1)
    })
  }

  test('does not keep another endpoint from answering', async () => {
    for (const attempts of [2, 1]) {
      const { status, headers } = await ask('backed/limited', { stream: true })
      assert.equal(status, 200)
      assert.equal((await meteredOf('backed/limited', headers)).attempts.length, attempts)
    }
  })
})

describe('a failure after the first byte', { concurrency: 8 }, () => {
  for (const [name, { code }] of Object.entries(lateFaults)) {
    test(`is reported in the stream, and no other endpoint is tried: ${name}`, async () => {
      const { status, text, headers } = await ask(`backed/${name}`, { stream: true })
      assert.deepEqual([status, textOf(text)], [200, 'Hello '])
      const last = chunksOf(text).at(-1)
      assert.deepEqual([last.choices[0].finish_reason, last.error.code], ['error', code])
      assert.match(text, /data: \[DONE\]\n\n$/)
      const stored = await meteredOf(`backed/${name}`, headers)
      assert.deepEqual([stored.outcome, stored.attempts.length], ['failed', 1])
      assert.deepEqual([stored.tokens_estimated, stored.tokens_completion, stored.finish_reason], [true, 2, 'error'])
    })
  }
})

test('a whole response can take longer than the first byte of a stream', async () => {
  const settings = { first_byte_timeout_ms: 500, whole_response_timeout_ms: 60_000 }
  await using service = await startFaultyService(upstream, ['slow'], { settings })
  const send = (stream: boolean) =>
    service.ask('POST', '/chat/completions', {
      body: { model: 'faulty/slow', messages: [{ role: 'user', content: 'Hi' }], stream },
    })
  assert.equal((await send(false)).status, 200)
  assert.equal((await send(true)).status, 408)
})
