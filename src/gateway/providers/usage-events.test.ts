import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { CompletionEvent, UsageEvent } from '#chat/events.ts'
import { ResponseCounter } from '../record/response-counter.ts'
import { anthropicMessages } from './anthropic/anthropic-messages.ts'
import { googleGemini } from './gemini/google-gemini.ts'
import { openaiChat } from './openai-chat/openai-chat.ts'
import { openaiResponses } from './openai-responses/openai-responses.ts'

type Reader = (event: { event: undefined; data: string; raw: Buffer }) => CompletionEvent[]

const readAll = (reader: Reader, events: object[]) =>
  events.flatMap((event) => reader({ event: undefined, data: JSON.stringify(event), raw: Buffer.alloc(0) }))

/** The last count of a stream, and whether it covers the whole response. */
function countOf(reader: Reader, events: object[]) {
  const counter = new ResponseCounter(() => 0)
  const read = readAll(reader, events)
  counter.count(read)
  const result = counter.result()
  const last = read.findLast((event): event is UsageEvent => event.type === 'usage')
  return { ...last?.tokens, isFinal: result.isFinal }
}

const tokens = { cached: 0, cacheWritten: 0, reasoning: 0 }
const content = { choices: [{ delta: { content: 'Hi' } }] }
const end = { choices: [{ delta: {}, finish_reason: 'stop' }] }
const usage = { prompt_tokens: 100, completion_tokens: 5, total_tokens: 105 }
const whole = { ...tokens, prompt: 100, completion: 5, isFinal: true }

describe('the usage of a chat stream', () => {
  const streams: Record<string, object[]> = {
    'in the last chunk': [content, end, { choices: [], usage }],
    'with the end': [content, { ...end, usage }],
    'in every chunk': [
      { ...content, usage: { ...usage, completion_tokens: 2, total_tokens: 102 } },
      { ...end, usage },
    ],
    'with the last text': [content, { ...content, usage }, end],
    'in the choice': [content, { choices: [{ ...end.choices[0], usage }] }],
    'in x_groq': [content, { ...end, x_groq: { usage } }],
    'before zeros': [content, { ...end, usage }, { choices: [], usage: { prompt_tokens: 0, completion_tokens: 0 } }],
    'in two halves': [
      { ...content, usage: { prompt_tokens: 100, completion_tokens: 0, total_tokens: 100 } },
      { ...end, usage: { prompt_tokens: 0, completion_tokens: 5, total_tokens: 5 } },
    ],
  }
  for (const [place, events] of Object.entries(streams)) {
    test(`counts ${place}`, () => {
      const { isFinal, prompt, completion, ...parts } = countOf(openaiChat.createReader(), events)
      assert.deepEqual({ ...parts, prompt, completion, isFinal }, whole)
    })
  }

  test('is undefined after the first chunk only', () => {
    const first = { choices: [{ delta: { role: 'assistant' } }], usage: { prompt_tokens: 100, completion_tokens: 0 } }
    assert.equal(countOf(openaiChat.createReader(), [first, content, end]).isFinal, false)
    assert.equal(countOf(openaiChat.createReader(), [{ ...content, usage }, content, end]).isFinal, false)
  })

  describe('with counts of single events', () => {
    const counting = (chunk: object, completion: number) => ({
      ...chunk,
      usage: { prompt_tokens: 100, completion_tokens: completion, total_tokens: 100 + completion },
    })
    const writeCompletion = (...events: object[]) => countOf(openaiChat.createReader(), events).completion

    test('is their sum, and a mismatch', () => {
      const increments = [
        counting(content, 3),
        counting(content, 2),
        counting({ choices: [{ ...content.choices[0], finish_reason: 'stop' }] }, 2),
      ]
      assert.deepEqual(countOf(openaiChat.createReader(), increments), { ...whole, completion: 7 })
      const last = readAll(openaiChat.createReader(), increments).at(-1) as UsageEvent
      assert.match(last.mismatch!, /do not increase during the stream, and add up to 7/)
      assert.equal(last.restated, true)
      const single = [1, 2, 3, 4].map(() => counting(content, 1))
      assert.equal(writeCompletion(...single, end), 4)
      assert.equal(writeCompletion(counting(content, 3), counting(content, 2), counting(end, 1)), 5)
    })

    test('is the total of an event without content, unless that is lower', () => {
      const increments = [counting(content, 3), counting(content, 2), counting(content, 4)]
      for (const [total, billed] of [
        [9, 9],
        [10, 10],
        [4, 9],
      ] as const)
        assert.equal(writeCompletion(...increments, end, counting({ choices: [] }, total)), billed)
    })

    test('is their sum if all are equal and the content is too long for one of them', () => {
      const long = { choices: [{ delta: { content: 'The quick fox' } }] }
      assert.equal(writeCompletion(...[3, 3, 3, 3].map((count) => counting(long, count)), end), 12)
      // A server that knows its whole response reports the total in each event.
      assert.equal(writeCompletion(...[10, 10, 10].map((count) => counting(long, count)), end), 10)
      const call = {
        choices: [{ delta: { tool_calls: [{ index: 0, function: { arguments: '{"city":"Rome","a"' } }] } }],
      }
      assert.equal(writeCompletion(...[4, 4, 4].map((count) => counting(call, count))), 12)
    })

    test('is not assumed for counts that increase, or repeat', () => {
      for (const counts of [
        [1, 2, 3, 4],
        [1, 1, 2, 3],
        [1, 1],
        [9, 9, 9],
      ])
        assert.equal(writeCompletion(...counts.map((count) => counting(content, count)), end), counts.at(-1))
      assert.equal(writeCompletion(counting(content, 12), counting(end, 10)), 10)
    })
  })

  test('keeps savings that are zero or null in a later chunk', () => {
    const rich = { ...usage, prompt_tokens_details: { cached_tokens: 90, cache_write_tokens: 5 } }
    const poor = [
      { ...usage, prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 } },
      { ...usage, prompt_tokens_details: null },
    ]
    for (const later of poor) {
      const { cached, cacheWritten } = countOf(openaiChat.createReader(), [
        content,
        { ...end, usage: rich },
        { choices: [], usage: later },
      ])
      assert.deepEqual([cached, cacheWritten], [90, 5])
    }
  })
})

const start = { input_tokens: 50, cache_read_input_tokens: 900, cache_creation_input_tokens: 30, output_tokens: 1 }
const opened = { type: 'message_start', message: { id: 'm', model: 'm', usage: start } }
const text = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } }
const stopped = (last?: object) => ({
  type: 'message_delta',
  delta: { stop_reason: 'end_turn' },
  ...(last && { usage: last }),
})
const counted = { prompt: 980, completion: 7, cached: 900, cacheWritten: 30, reasoning: 0, isFinal: true }

describe('the usage of an Anthropic stream', () => {
  const zeros = { input_tokens: 0, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 }
  const streams: Record<string, object[]> = {
    'is not erased by zeros': [opened, text, stopped({ ...zeros, output_tokens: 7 })],
    'is not erased by zeros of the cache': [opened, text, stopped({ ...zeros, input_tokens: 50, output_tokens: 7 })],
    'is not erased by nulls': [opened, text, stopped({ cache_read_input_tokens: null, output_tokens: 7 })],
    'is read where the end has the response alone': [opened, text, stopped({ output_tokens: 7 })],
    'is read after the end': [
      opened,
      text,
      stopped(),
      { type: 'message_delta', delta: {}, usage: { output_tokens: 7 } },
    ],
    'is read in the last event': [opened, text, stopped(), { type: 'message_stop', usage: { output_tokens: 7 } }],
    'is read at its end alone': [{ type: 'message_start', message: {} }, text, stopped({ ...start, output_tokens: 7 })],
  }
  for (const [name, events] of Object.entries(streams))
    test(name, () => assert.deepEqual(countOf(anthropicMessages.createReader(), events), counted))

  test('is undefined after the first event only', () =>
    assert.equal(countOf(anthropicMessages.createReader(), [opened, text, stopped()]).isFinal, false))

  test('does not end with the count of the first event, which is that of the start', () => {
    for (const last of [
      {},
      { input_tokens: 50 },
      { ...zeros, output_tokens: 0 },
      { prompt_tokens: 5, completion_tokens: 7 },
    ]) {
      const { isFinal, prompt, completion } = countOf(anthropicMessages.createReader(), [opened, text, stopped(last)])
      assert.deepEqual([isFinal, prompt, completion], [false, counted.prompt, 0], JSON.stringify(last))
    }
  })

  test('has the whole prompt once if only the last event splits it', () => {
    const first = { type: 'message_start', message: { usage: { input_tokens: 980, output_tokens: 1 } } }
    for (const last of [
      { ...zeros, cache_read_input_tokens: 980, output_tokens: 7 },
      { ...zeros, input_tokens: 50, cache_read_input_tokens: 930, output_tokens: 7 },
    ])
      assert.equal(countOf(anthropicMessages.createReader(), [first, text, stopped(last)]).prompt, 980)
  })

  test("is that of Bedrock's metrics if no event has another", () => {
    const metrics = { inputTokenCount: 10, outputTokenCount: 5, cacheReadInputTokenCount: 3 }
    const last = { type: 'message_stop', 'amazon-bedrock-invocationMetrics': metrics }
    const start = { type: 'message_start', message: { usage: { input_tokens: 0, output_tokens: 0 } } }
    const { prompt, cached, completion } = countOf(anthropicMessages.createReader(), [start, text, last])
    assert.deepEqual([prompt, cached, completion], [13, 3, 5])
  })

  test('includes the compaction and the advisor, which the counts of the response lack', () => {
    const iterations = [
      { type: 'compaction', input_tokens: 700, output_tokens: 20, cache_read_input_tokens: 100 },
      { type: 'advisor_message', input_tokens: 60, output_tokens: 8 },
      { type: 'message', input_tokens: 181, output_tokens: 8 },
    ]
    const usage = { ...zeros, input_tokens: 181, output_tokens: 8, iterations }
    const { prompt, cached, completion } = countOf(anthropicMessages.createReader(), [opened, text, stopped(usage)])
    assert.deepEqual([prompt, cached, completion], [1041, 100, 36])
    const message = { content: [{ type: 'text', text: 'Hi' }], stop_reason: 'end_turn', usage }
    const whole = anthropicMessages.readBody(message).findLast((event): event is UsageEvent => event.type === 'usage')
    assert.deepEqual([whole?.tokens.prompt, whole?.tokens.completion], [1041, 36])
    assert.equal(whole?.extras?.models, undefined)
  })

  test('names the model of an advisor, which has its own price', () => {
    const advisor = { type: 'advisor_message', model: 'claude-opus-4-6', input_tokens: 60, output_tokens: 8 }
    const usage = { ...zeros, input_tokens: 181, output_tokens: 8, iterations: [advisor] }
    const message = { content: [{ type: 'text', text: 'Hi' }], stop_reason: 'end_turn', usage }
    const whole = anthropicMessages.readBody(message).findLast((event): event is UsageEvent => event.type === 'usage')
    const tokens = { prompt: 60, completion: 8, cached: 0, cacheWritten: 0, reasoning: 0 }
    assert.deepEqual(whole?.extras?.models, [{ name: 'claude-opus-4-6', tokens }])
  })

  test('keeps what the last event lacks beside its iterations: lifetimes and region', () => {
    const counts = { input_tokens: 10, cache_creation_input_tokens: 90, cache_read_input_tokens: 0 }
    const details = {
      cache_creation: { ephemeral_5m_input_tokens: 60, ephemeral_1h_input_tokens: 30 },
      inference_geo: 'us',
    }
    const start = { type: 'message_start', message: { usage: { ...counts, ...details, output_tokens: 1 } } }
    const iterations = [{ type: 'message', ...counts, output_tokens: 8 }]
    const events = readAll(anthropicMessages.createReader(), [
      start,
      text,
      stopped({ ...counts, output_tokens: 8, iterations }),
    ])
    const usage = events.findLast((event): event is UsageEvent => event.type === 'usage')
    assert.deepEqual([usage?.tokens.parts, usage?.extras?.serviceTier], [{ cacheWritten1h: 30 }, 'us'])
  })

  test('is replaced by the last event after a compaction', () => {
    const { prompt, cached } = countOf(anthropicMessages.createReader(), [
      opened,
      text,
      stopped({ ...zeros, input_tokens: 181, output_tokens: 8, iterations: [{}, {}] }),
    ])
    assert.deepEqual([prompt, cached], [181, 0])
  })
})

test('counts that are texts are numbers in every protocol, and clients get numbers', () => {
  const gemini = {
    ...{ promptTokenCount: '100', candidatesTokenCount: '5', cachedContentTokenCount: '90' },
    promptTokensDetails: [{ modality: 'AUDIO', tokenCount: '40' }],
  }
  const anthropic = { input_tokens: '10', cache_read_input_tokens: '90', output_tokens: '5' }
  const message = { content: [{ type: 'text', text: 'Hi' }], stop_reason: 'end_turn', usage: anthropic }
  const start = { type: 'message_start', message: { usage: { ...anthropic, output_tokens: '1' } } }
  const streamed = [start, text, stopped({ output_tokens: '5' })]
  const part = { candidates: [{ content: { parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }], usageMetadata: gemini }
  const expected = { ...tokens, prompt: 100, completion: 5, cached: 90 }
  for (const [events, parts] of [
    [anthropicMessages.readBody(message), undefined],
    [readAll(anthropicMessages.createReader(), streamed), undefined],
    [readAll(googleGemini.createReader(), [part]), { audioPrompt: 40 }],
  ] as const) {
    const event = events.findLast((one): one is UsageEvent => one.type === 'usage')
    assert.deepEqual(event?.tokens, { ...expected, ...(parts && { parts }) })
    if (!parts) assert.equal(event?.restated, true)
  }
})

test('usage of the events of a Gemini stream is added up, with reasoning counted once', () => {
  const counting = (text: string, candidatesTokenCount: number, more: object = {}) => ({
    candidates: [{ content: { parts: [{ text }] } }],
    usageMetadata: {
      promptTokenCount: 100,
      candidatesTokenCount,
      totalTokenCount: 100 + candidatesTokenCount,
      ...more,
    },
  })
  const last = { candidates: [{ content: { parts: [{ text: '.' }] }, finishReason: 'STOP' }] }
  const usageMetadata = { promptTokenCount: 100, candidatesTokenCount: 1, thoughtsTokenCount: 20, totalTokenCount: 121 }
  const writeCompletion = (...events: object[]) => countOf(googleGemini.createReader(), events).completion
  const thoughts = { thoughtsTokenCount: 20, totalTokenCount: 125 }
  assert.equal(
    writeCompletion(counting('Hello you', 5, thoughts), counting(' there', 3), { ...last, usageMetadata }),
    29,
  )
  assert.equal(
    writeCompletion(counting('Hello you', 5, thoughts), counting(' there', 8, { totalTokenCount: 128 }), last),
    28,
  )
})

test('the usage of a Gemini stream is read after its end, and zeros do not erase it', () => {
  const part = { candidates: [{ content: { parts: [{ text: 'Hi' }] } }] }
  const ended = { candidates: [{ content: { parts: [] }, finishReason: 'STOP' }] }
  const full = { promptTokenCount: 100, candidatesTokenCount: 5, cachedContentTokenCount: 90, totalTokenCount: 105 }
  const expected = { ...whole, cached: 90 }
  for (const events of [
    [part, { ...ended, usageMetadata: full }],
    [part, ended, { usageMetadata: full }],
    [
      { ...part, usageMetadata: { promptTokenCount: 100, cachedContentTokenCount: 90 } },
      { ...ended, usageMetadata: { candidatesTokenCount: 5 } },
    ],
    [part, { ...ended, usageMetadata: full }, { usageMetadata: { promptTokenCount: 0, candidatesTokenCount: 0 } }],
  ])
    assert.deepEqual(countOf(googleGemini.createReader(), events), expected, JSON.stringify(events))
})

describe('a total', () => {
  const read = (counts: object) =>
    openaiChat
      .readBody({ choices: [{ message: { content: 'Hi' } }], usage: { ...counts } })
      .find((event): event is UsageEvent => event.type === 'usage')!

  test('that matches the counts is not a mismatch', () => {
    const within = { ...usage, completion_tokens_details: { reasoning_tokens: 5 } }
    assert.deepEqual(read(within), { type: 'usage', tokens: { ...tokens, prompt: 100, completion: 5, reasoning: 5 } })
    const tooMany = { ...usage, completion_tokens_details: { reasoning_tokens: 6 } }
    assert.deepEqual(read(tooMany), { type: 'usage', tokens: { ...tokens, prompt: 100, completion: 5, reasoning: 5 } })
  })

  test('that includes separate reasoning adds it', () => {
    const { tokens, restated, mismatch } = read({
      prompt_tokens: 1000,
      completion_tokens: 10,
      total_tokens: 1510,
      completion_tokens_details: { reasoning_tokens: 500 },
    })
    assert.deepEqual([tokens.completion, tokens.reasoning, restated, mismatch], [510, 500, true, undefined])
  })

  test('that does not match is a mismatch, and the larger count is billed', () => {
    const higher = read({ ...usage, total_tokens: 200 })
    assert.deepEqual([higher.tokens.prompt, higher.tokens.completion], [100, 100])
    assert.equal(higher.mismatch, 'a total of 200 tokens for a prompt of 100 and a completion of 5')
    const lower = read({ ...usage, total_tokens: 50 })
    assert.deepEqual([lower.tokens.prompt, lower.tokens.completion], [100, 5])
    assert.match(lower.mismatch!, /^a total of 50 tokens/)
  })

  test('that is not a count is ignored', () => {
    for (const total_tokens of [0, null, '105', -1, 1.5, {}]) {
      const { tokens, mismatch } = read({ ...usage, total_tokens })
      assert.deepEqual([tokens.prompt, tokens.completion, mismatch], [100, 5, undefined])
    }
  })
})

test('a zero of one field name does not hide the count of another', () => {
  const counts = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 105, input_tokens: 100, output_tokens: 5 }
  const item = { type: 'message', content: [{ type: 'output_text', text: 'Hi' }] }
  const named = { input_tokens: 0, output_tokens: 0, prompt_tokens: 100, completion_tokens: 5 }
  for (const events of [
    openaiChat.readBody({ choices: [{ message: { content: 'Hi' }, finish_reason: 'stop' }], usage: counts }),
    openaiResponses.readBody({ status: 'completed', output: [item], usage: named }),
  ]) {
    const event = events.findLast((one): one is UsageEvent => one.type === 'usage')
    assert.deepEqual([event?.tokens.prompt, event?.tokens.completion, event?.mismatch], [100, 5, undefined])
  }
})

test('the calls of tools that xAI counts in its usage are billed by call', () => {
  const details = { web_search_calls: 3, x_search_calls: 1, code_interpreter_calls: 0 }
  const counted = { input_tokens: 100, output_tokens: 5, server_side_tool_usage_details: details }
  const item = { type: 'message', content: [{ type: 'output_text', text: 'Hi' }] }
  const search = { type: 'web_search_call', action: { type: 'search' } }
  const bodies = [
    [openaiChat, { choices: [{ message: { content: 'Hi' }, finish_reason: 'stop' }], usage: { ...counted, ...usage } }],
    [openaiResponses, { status: 'completed', output: [search, item], usage: counted }],
  ] as const
  for (const [protocol, body] of bodies) {
    const event = protocol.readBody(body).findLast((one): one is UsageEvent => one.type === 'usage')
    assert.deepEqual(event?.extras?.pieces, { web_search: 3, x_search: 1 })
  }
})

test('searches of a field of the request have the name of the field', () => {
  for (const [reported, pieces] of [
    [{ num_sources_used: 7 }, { search_parameters: 7 }],
    [{ plugins: { search: { count: 2, strategy: 'agent' } } }, { enable_search: 2 }],
    [{ num_sources_used: 0, plugins: null }, { search_parameters: 0 }],
    [{ plugins: { search: null } }, undefined],
  ] as const) {
    const body = { choices: [{ message: { content: 'Hi' }, finish_reason: 'stop' }], usage: { ...usage, ...reported } }
    const event = openaiChat.readBody(body).findLast((one): one is UsageEvent => one.type === 'usage')
    assert.deepEqual(event?.extras?.pieces, pieces)
  }
})

test('the speed and the region of an Anthropic response are its service tier', () => {
  for (const [reported, tier] of [
    [{ speed: 'fast', inference_geo: 'us' }, 'fast'],
    [{ speed: 'standard', inference_geo: 'global' }, 'default'],
    [{ inference_geo: 'us' }, 'us'],
    [{ inference_geo: 'not_available', speed: null }, undefined],
  ] as const) {
    const usage = { input_tokens: 5, output_tokens: 1, ...reported }
    const message = { content: [{ type: 'text', text: 'Hi' }], stop_reason: 'end_turn', usage }
    const event = anthropicMessages.readBody(message).findLast((one): one is UsageEvent => one.type === 'usage')
    assert.equal(event?.extras?.serviceTier, tier)
  }
})
