import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { startTestService, type TestService } from '../harness/service/service.ts'
import { until } from '../harness/until.ts'
import {
  parseRequest,
  type Received,
  type ScriptedUpstream,
  startScriptedUpstream,
} from '../harness/upstream/scripted-upstream.ts'
import { type Counts, picoPrices, type UsageRow, usageRows } from './usage-rows.ts'

type Door = {
  path: string
  body: object
  usageIn: (response: any, events: any[]) => any
  counts: (usage: any) => Counts
}

const long = 'x'.repeat(30_000)
const messages = [{ role: 'user', content: long }]

/** Where each client protocol has the usage, and how it counts. */
const doors: Record<string, Door> = {
  chat: {
    path: '/chat/completions',
    body: { messages, stream_options: { include_usage: true } },
    usageIn: (response, events) => response?.usage ?? events.findLast(({ usage }) => usage)?.usage,
    counts: (usage) => ({
      prompt: usage.prompt_tokens,
      completion: usage.completion_tokens,
      cached: usage.prompt_tokens_details?.cached_tokens ?? 0,
      written: usage.prompt_tokens_details?.cache_write_tokens ?? 0,
      reasoning: usage.completion_tokens_details?.reasoning_tokens ?? 0,
    }),
  },
  responses: {
    path: '/responses',
    body: { input: long },
    usageIn: (body, events) => body?.usage ?? events.findLast(({ response }) => response?.usage)?.response.usage,
    counts: (usage) => ({
      prompt: usage.input_tokens,
      completion: usage.output_tokens,
      cached: usage.input_tokens_details?.cached_tokens ?? 0,
      written: usage.input_tokens_details?.cache_write_tokens ?? 0,
      reasoning: usage.output_tokens_details?.reasoning_tokens ?? 0,
    }),
  },
  messages: {
    path: '/messages',
    body: { messages, max_tokens: 300_000 },
    usageIn: (response, events) => response?.usage ?? events.findLast(({ type }) => type === 'message_delta')?.usage,
    counts: ({ cache_read_input_tokens: cached = 0, cache_creation_input_tokens: created, ...usage }) => {
      const { ephemeral_5m_input_tokens: young = 0, ephemeral_1h_input_tokens: old = 0 } = usage.cache_creation ?? {}
      const written = created || young + old
      return {
        prompt: usage.input_tokens + cached + written,
        completion: usage.output_tokens,
        cached,
        written,
        reasoning: usage.output_tokens_details?.thinking_tokens ?? 0,
      }
    },
  },
}

const line = (event: object) => `data: ${JSON.stringify(event)}\n\n`

/** A whole response with this usage, in each protocol. */
const wholes: Record<UsageRow['protocol'], (usage: object, member?: string) => object> = {
  'openai-chat': (usage, member = 'usage') => ({
    id: 'c',
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
    [member]: usage,
  }),
  'openai-responses': (usage) => ({
    id: 'r',
    model: 'm',
    status: 'completed',
    output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hi' }] }],
    usage,
  }),
  'anthropic-messages': (usage) => ({
    id: 'm',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [{ type: 'text', text: 'Hi' }],
    stop_reason: 'end_turn',
    usage,
  }),
  'google-gemini': (usageMetadata) => ({
    candidates: [{ content: { parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }],
    usageMetadata,
  }),
}

/** The same as a stream. */
const streams: Record<UsageRow['protocol'], (usage: object, member?: string) => string> = {
  'openai-chat': (usage, member = 'usage') =>
    line({ id: 'c', choices: [{ index: 0, delta: { role: 'assistant', content: 'Hi' }, finish_reason: null }] }) +
    line({ id: 'c', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }) +
    line({ id: 'c', choices: [], [member]: usage }) +
    'data: [DONE]\n\n',
  'openai-responses': (usage) =>
    line({ type: 'response.created', response: { id: 'r', model: 'm' } }) +
    line({ type: 'response.output_text.delta', output_index: 0, content_index: 0, delta: 'Hi' }) +
    line({ type: 'response.completed', response: wholes['openai-responses'](usage) }),
  'anthropic-messages': (usage) =>
    line({
      type: 'message_start',
      message: { ...wholes['anthropic-messages']({ ...usage, output_tokens: 1 }), content: [] },
    }) +
    line({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }) +
    line({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } }) +
    line({ type: 'content_block_stop', index: 0 }) +
    line({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage }) +
    line({ type: 'message_stop' }),
  'google-gemini': (usage) => line(wholes['google-gemini'](usage)),
}

const names = Object.keys(usageRows)
const rowAt = (name: string) => allRows[Number(name.slice(1))]!

/** Counts that cannot be those of a response with text. */
const impossibleRows: UsageRow[] = [
  ['openai-chat', { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }],
  ['openai-chat', { prompt_tokens: 9000, completion_tokens: 0, total_tokens: 9000 }],
  ['openai-responses', { input_tokens: 0, output_tokens: 0, total_tokens: 0 }],
  ['anthropic-messages', { input_tokens: 0, output_tokens: 0 }],
  ['google-gemini', { promptTokenCount: 0, candidatesTokenCount: 0, totalTokenCount: 0 }],
].map(([protocol, usage]) => ({ protocol, usage, counts: { prompt: 0, completion: 0 }, pico: 0 }) as UsageRow)
const allRows = [...Object.values(usageRows), ...impossibleRows]

function catalogueOn(url: string): object {
  const usd = (pico: number) => pico / 1e6
  const { prompt, completion, cached, written } = picoPrices
  const prices = {
    prompt: usd(prompt),
    completion: usd(completion),
    cache_read: usd(cached),
    cache_write: usd(written),
  }
  const protocols = [...new Set(Object.values(usageRows).map(({ protocol }) => protocol))]
  const provider = (protocol: string) => [protocol, { name: protocol, protocol, base_url: `${url}/${protocol}` }]
  const modelOf = ({ protocol }: UsageRow, at: number) => {
    const offer = { model: `m${at}`, max_completion_tokens: 300_000, prices, supported_parameters: ['reasoning'] }
    const facts = { name: `m${at}`, created: '2026-01-01', context_length: 1_000_000 }
    return [`rows/m${at}`, { ...facts, endpoints: { [protocol]: offer } }]
  }
  return {
    providers: Object.fromEntries(protocols.map(provider)),
    models: Object.fromEntries(allRows.map(modelOf)),
  }
}

describe('the usage of each provider', () => {
  let upstream: ScriptedUpstream
  let service: TestService
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-usage-'))

  function respond(received: Received) {
    const { name, streamed } = parseRequest(received)
    const { protocol, usage, member } = rowAt(name)
    return streamed
      ? { status: 200, type: 'text/event-stream', body: streams[protocol](usage, member) }
      : { status: 200, type: 'application/json', body: JSON.stringify(wholes[protocol](usage, member)) }
  }
  before(async () => {
    upstream = await startScriptedUpstream(respond)
    const catalogue_file = join(folder, 'catalogue.json')
    writeFileSync(catalogue_file, JSON.stringify(catalogueOn(upstream.url)))
    service = await startTestService({ settings: { catalogue_file, starter_catalogue: 'false' as never } })
  })
  after(async () => {
    await service[Symbol.asyncDispose]()
    await upstream[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true })
  })

  async function usageAt(door: Door, model: string, stream: boolean) {
    const { status, text, body, headers } = await service.ask('POST', door.path, {
      body: { ...door.body, model, stream },
    })
    assert.equal(status, 200, text)
    const events = stream ? [...text.matchAll(/^data: (\{.*)$/gm)].map(([, json]) => JSON.parse(json!)) : []
    return { usage: door.usageIn(stream ? undefined : body, events), id: headers.get('x-generation-id') }
  }

  for (const [at, name] of names.entries()) {
    const { counts, pico } = usageRows[name]!
    const expected = { cached: 0, written: 0, reasoning: 0, ...counts }
    test(`${name}: every client protocol has its counts and its exact cost`, async () => {
      for (const [which, door] of Object.entries(doors)) {
        for (const stream of [false, true]) {
          const { usage } = await usageAt(door, `rows/m${at}`, stream)
          const place = `${which}, ${stream ? 'streamed' : 'whole'}: ${JSON.stringify(usage)}`
          assert.deepEqual({ ...expected, ...door.counts(usage) }, expected, place)
          assert.equal(Math.round(usage.cost * 1e12), pico, place)
        }
      }
    })
  }

  for (const [number, { protocol, usage: reported }] of impossibleRows.entries())
    test(`${protocol}: ${JSON.stringify(reported)} of a response with text is estimated, and the client sees the charge`, async () => {
      const { usage, id } = await usageAt(doors.chat!, `rows/m${names.length + number}`, true)
      const { data } = await until(async () => {
        const { status, body } = await service.ask('GET', `/generation?id=${id}`)
        return status === 200 ? body : undefined
      })
      assert.equal(data.tokens_estimated, true)
      assert.ok(data.tokens_prompt > 7000 && data.tokens_completion > 0, JSON.stringify(data))
      assert.equal(usage.cost, data.total_cost)
    })

  test('record and reports of a request have the cache savings and the reasoning', async () => {
    const { id } = await usageAt(doors.messages!, `rows/m${names.indexOf('xAI, which bills 0.0232856 USD')}`, true)
    const { data } = await until(async () => {
      const { status, body } = await service.ask('GET', `/generation?id=${id}`)
      return status === 200 ? body : undefined
    })
    const { tokens_prompt, tokens_completion, tokens_cached, tokens_reasoning, tokens_estimated } = data
    assert.deepEqual([tokens_prompt, tokens_completion, tokens_estimated], [10_120, 4308, false])
    assert.deepEqual([tokens_cached, tokens_reasoning], [128, 2809])
    assert.equal(Math.round(data.total_cost * 1e12), 23_285_600_000)
  })
})
