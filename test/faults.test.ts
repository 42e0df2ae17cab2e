import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { early, late, limited, sound } from '#test/harness/faults.ts'
import { chunksOf, startFaultyService, textOf } from '#test/harness/faulty-service.ts'
import { type FaultyUpstream, startFaultyUpstream } from '#test/harness/faulty-upstream.ts'
import type { TestService } from '#test/harness/service.ts'

const plays = {
  ...sound,
  ...limited,
  ...Object.fromEntries([...Object.entries(early), ...Object.entries(late)].map(([name, { play }]) => [name, play])),
}
let upstream: FaultyUpstream
let service: TestService
before(async () => {
  upstream = await startFaultyUpstream(plays)
  service = await startFaultyService(upstream, Object.keys(plays))
})
after(async () => {
  await service[Symbol.asyncDispose]()
  await upstream[Symbol.asyncDispose]()
})

const ask = (model: string, more: object = {}) =>
  service.ask('POST', '/chat/completions', {
    body: {
      model,
      messages: [{ role: 'user', content: 'Hi' }],
      provider: { order: ['faulty', 'refused', 'mute'] },
      ...more,
    },
  })

async function metered(id: string | null) {
  for (let tries = 0; tries < 60; tries++) {
    const { status, body } = await service.ask('GET', `/generation?id=${id}`)
    if (status === 200) return body.data
    await sleep(50)
  }
  throw new Error(`${id} was not metered`)
}

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

describe('a sound answer', { concurrency: 8 }, () => {
  for (const name of Object.keys(sound)) {
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
        assert.equal((await metered(headers.get('x-generation-id'))).total_cost, 0.000037)
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
  for (const [name, { status, tryNext }] of Object.entries({ ...early, ...unreachable })) {
    const ways = [...(wholeOnly.includes(name) ? [] : [true]), ...(streamOnly.includes(name) ? [] : [false])]
    for (const stream of ways) {
      const how = stream ? 'streamed' : 'whole'
      test(`is told by its status, ${how}: ${name}`, async () => {
        const answer = await ask(`faulty/${name}`, { stream })
        assert.equal(answer.status, status, answer.text)
        assert.equal(answer.body.error.code, status)
        assert.doesNotMatch(answer.text, /sk-0123/)
        const { outcome, attempts, total_cost } = await metered(answer.headers.get('x-generation-id'))
        assert.deepEqual([outcome, attempts.length, total_cost], ['failed', 1, 0])
      })
      if (tryNext)
        test(`is never noticed where another endpoint answers, ${how}: ${name}`, async () => {
          const answer = await ask(`backed/${name}`, { stream })
          assert.equal(answer.status, 200, answer.text)
          assert.equal(stream ? textOf(answer.text) : answer.body.choices[0].message.content, 'Hello world')
          const { attempts, provider_name } = await metered(answer.headers.get('x-generation-id'))
          assert.deepEqual([attempts.length, attempts[1].outcome, provider_name], [2, 'answered', 'sound'])
        })
    }
  }
})

describe('an upstream that limits the rate', () => {
  for (const name of Object.keys(limited)) {
    test(`is left alone for as long as it asked, by every request: ${name}`, async () => {
      const first = await ask(`faulty/${name}`)
      assert.deepEqual([first.status, first.headers.get('retry-after')], [429, '7'], first.text)
      const second = await ask(`faulty/${name}`)
      assert.equal(second.status, 503)
      assert.match(second.headers.get('retry-after') ?? '', /^[67]$/)
      assert.equal(upstream.taken.filter(({ play }) => play === name).length, 1)
    })
  }

  test('does not keep another endpoint from answering', async () => {
    for (const attempts of [2, 1]) {
      const { status, headers } = await ask('backed/limited', { stream: true })
      assert.equal(status, 200)
      assert.equal((await metered(headers.get('x-generation-id'))).attempts.length, attempts)
    }
  })
})

describe('a failure after the first byte', { concurrency: 8 }, () => {
  for (const [name, { code }] of Object.entries(late)) {
    test(`is told in the stream, and no other endpoint is asked: ${name}`, async () => {
      const { status, text, headers } = await ask(`backed/${name}`, { stream: true })
      assert.deepEqual([status, textOf(text)], [200, 'Hello '])
      const last = chunksOf(text).at(-1)
      assert.deepEqual([last.choices[0].finish_reason, last.error.code], ['error', code])
      assert.match(text, /data: \[DONE\]\n\n$/)
      const kept = await metered(headers.get('x-generation-id'))
      assert.deepEqual([kept.outcome, kept.attempts.length], ['failed', 1])
      assert.deepEqual([kept.tokens_estimated, kept.tokens_completion, kept.finish_reason], [true, 2, 'error'])
    })
  }
})
