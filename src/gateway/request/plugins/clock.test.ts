import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AnswerEvent } from '#chat/events.ts'
import { Fault } from '#platform/core/fault.ts'
import type { ResponseStream } from '#platform/net/response-stream.ts'
import { chatClient } from '../../clients/chat/client.ts'
import { timeIn, withClock } from './clock.ts'
import { clockName } from './clock-round.ts'

const head = { id: 'gen-1', model: 'a/b', createdSeconds: 1 }
const counted = { prompt: 10, completion: 5, cached: 4, cacheWritten: 3, reasoning: 2 }
const started: AnswerEvent = { type: 'started', id: 'x', model: 'b' }
const called = (index: number, name: string): AnswerEvent[] => [
  { type: 'tool_call', index, id: `call_${index}`, name },
  { type: 'tool_arguments', index, text: `{"of":"${name}"}` },
]
const usage: AnswerEvent = { type: 'usage', tokens: counted }
const finish: AnswerEvent = { type: 'finish', reason: 'tool_calls', native: 'tool_calls' }
const said = (text: string): AnswerEvent[] => [started, { type: 'text', text }]

/** The output for a streaming client when these answers come one after the other. A `Fault` is an answer that fails. */
async function hear(...answers: (AnswerEvent[] | Fault)[]) {
  const heard = { text: '', ended: 0, asked: [] as any[] }
  const response = {
    get opened() {
      return heard.text !== ''
    },
    write: (chunk: string | Buffer) => {
      heard.text += chunk
      return true
    },
    end: () => void heard.ended++,
    signal: new AbortController().signal,
  } as unknown as ResponseStream
  const body = { messages: [{ role: 'user', content: 'Hi' }], tools: [{ type: 'openrouter:datetime' }], stream: true }
  const chat = chatClient.toChat({ ...body, tools: [] })
  const prepared = { body, chat, client: chatClient, preset: undefined } as Parameters<typeof withClock>[2]
  await withClock(
    { timezone: 'UTC' },
    response,
    prepared,
    () => 0,
    async (round, inner) => {
      heard.asked.push(round.body)
      const answer = answers.shift()!
      if (answer instanceof Fault) throw answer
      const writer = round.client.writer(head, { includeUsage: true })
      for (const event of answer) inner.write(writer.event(event))
      inner.write(writer.end({ costUsd: 0.25 }))
      inner.end()
      return undefined
    },
  )
  const chunks = heard.text.match(/^data: \{.*$/gm)?.map((line) => JSON.parse(line.slice(6))) ?? []
  return { ...heard, chunks }
}

test('the time is told as the zone’s clocks show it, east and west of Greenwich and there', () => {
  assert.equal(timeIn('UTC', 0), '1970-01-01T00:00:00.000+00:00')
  assert.equal(timeIn('Asia/Kathmandu', Date.UTC(2026, 0, 1)), '2026-01-01T05:45:00.000+05:45')
  assert.equal(timeIn('America/St_Johns', Date.UTC(2026, 0, 1)), '2025-12-31T20:30:00.000-03:30')
})

test('what the rounds took is told once, added up to the last token of each kind', async () => {
  const { chunks, ended } = await hear(
    [...said('Let me see. '), ...called(0, clockName), usage, finish],
    [...said('Late.'), usage, { ...finish, reason: 'stop' } as AnswerEvent],
  )
  assert.deepEqual(
    chunks.flatMap((chunk) => chunk.usage ?? []),
    [
      {
        ...{ prompt_tokens: 20, completion_tokens: 10, total_tokens: 30, cost: 0.5 },
        prompt_tokens_details: { cached_tokens: 8, cache_write_tokens: 6 },
        completion_tokens_details: { reasoning_tokens: 4 },
      },
    ],
  )
  assert.equal(ended, 1)
})

test('a round that tells with each piece what it took so far is counted once', async () => {
  const soFar: AnswerEvent = { type: 'usage', tokens: { ...counted, completion: 1, reasoning: 0 } }
  const { chunks } = await hear(
    [...said('Let me see. '), soFar, ...called(0, clockName), usage, finish],
    [soFar, ...said('Late.'), usage, { ...finish, reason: 'stop' } as AnswerEvent, usage],
  )
  const told = chunks.flatMap((chunk) => chunk.usage ?? [])
  assert.deepEqual(
    told.map((one) => [one.prompt_tokens, one.completion_tokens]),
    [[20, 10]],
  )
})

test('the client’s own calls keep their arguments, in their order; those of the clock are not seen', async () => {
  const answer = [...said('Now. '), ...called(0, 'f'), ...called(1, clockName), ...called(2, 'g'), usage, finish]
  const { chunks, asked } = await hear(answer)
  const calls = chunks.flatMap(({ choices }) => choices[0]?.delta.tool_calls ?? [])
  const args = (at: number) =>
    calls
      .filter(({ index }) => index === at)
      .map((call) => call.function.arguments ?? '')
      .join('')
  assert.deepEqual([args(0), args(1), args(2)], ['{"of":"f"}', '{"of":"g"}', ''])
  assert.deepEqual(
    calls.flatMap((call) => call.function.name ?? []),
    ['f', 'g'],
  )
  assert.equal(asked.length, 1)
})

test('a round that fails when words have gone ends the stream with the reason', async () => {
  const { text, ended } = await hear(
    [...said('Let me see. '), ...called(0, clockName), usage, finish],
    new Fault('unavailable', 'Nobody is there.'),
  )
  assert.match(text, /Let me see[\s\S]*"error":\{[^}]*Nobody is there\./)
  assert.match(text, /"code":503/)
  assert.equal(ended, 1)
})

test('one that fails before is thrown, as a request’s own failure is', async () => {
  await assert.rejects(hear(new Fault('invalid', 'Not so.')), /Not so/)
})
