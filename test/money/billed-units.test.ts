import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { startTestService, type TestService } from '../harness/service/service.ts'
import { type Received, type ScriptedUpstream, startScriptedUpstream } from '../harness/upstream/scripted-upstream.ts'

const million = 1e-6
const limit = 0.25

/** The provider's bill in USD and its response, by the model of the request. */
type Served = { billed: number; response: object }

const chatResponse = (usage: object, more: { message?: object } & Record<string, unknown> = {}) => {
  const { message, ...fields } = more
  const choices = [{ index: 0, message: { role: 'assistant', content: 'Hi', ...message }, finish_reason: 'stop' }]
  return { id: 'c', model: 'm', choices, usage: { prompt_tokens: 1000, completion_tokens: 100, ...usage }, ...fields }
}

const messageResponse = (usage: object) => ({
  id: 'm',
  model: 'm',
  content: [{ type: 'text', text: 'Hi' }],
  stop_reason: 'end_turn',
  usage: { input_tokens: 1000, output_tokens: 100, ...usage },
})

const generated = (queries: string[], modelVersion: string) => ({
  modelVersion,
  candidates: [
    {
      content: { parts: [{ text: 'Hi' }] },
      finishReason: 'STOP',
      groundingMetadata: { webSearchQueries: queries },
    },
  ],
  usageMetadata: { promptTokenCount: 1000, candidatesTokenCount: 100 },
})

/** 1,000 tokens of the prompt and 100 of the response, at 3 and 15 a million. */
const text = 1000 * 3 * million + 100 * 15 * million

const served: Record<string, (body: any) => Served> = {
  'claude-searching': () => ({
    billed: text + 2 * 0.01,
    response: messageResponse({ server_tool_use: { web_search_requests: 2 } }),
  }),
  'claude-keeping': () => ({
    billed: text + 2000 * 6 * million,
    response: messageResponse({
      cache_creation_input_tokens: 2000,
      cache_creation: { ephemeral_1h_input_tokens: 2000, ephemeral_5m_input_tokens: 0 },
    }),
  }),
  'gemini-2.5-flash': () => ({ billed: text + 0.035, response: generated(['a', 'b'], 'gemini-2.5-flash') }),
  'gemini-3-flash': () => ({ billed: text + 3 * 0.014, response: generated(['a', 'b', 'c'], 'gemini-3-flash') }),
  'searching-chat': () => ({ billed: text + 0.025, response: chatResponse({}) }),
  painter: () => ({
    billed: text + 0.04,
    response: chatResponse({}, { message: { images: [{ type: 'image_url' }] } }),
  }),
  'looks-at-pictures': () => ({ billed: text + 2 * 0.04, response: chatResponse({}) }),
  listener: () => ({
    billed: 400 * 3 * million + 600 * 40 * million + 60 * 15 * million + 40 * 80 * million,
    response: chatResponse({
      prompt_tokens_details: { audio_tokens: 600 },
      completion_tokens_details: { audio_tokens: 40 },
    }),
  }),
  'silent-listener': () => ({ billed: 600 * 40 * million, response: chatResponse({}) }),
  hurried: ({ service_tier }) => ({
    billed: service_tier === 'priority' ? 2 * text : text,
    response: chatResponse({}, { service_tier: service_tier ?? 'default' }),
  }),
  researcher: () => ({
    billed: text + 2 * 0.01,
    response: {
      id: 'r',
      model: 'm',
      status: 'completed',
      output: [
        { type: 'web_search_call', action: { type: 'search' } },
        { type: 'web_search_call', action: { type: 'search' } },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hi' }] },
      ],
      usage: { input_tokens: 1000, output_tokens: 100 },
    },
  }),
}

const prices = { prompt: 3, completion: 15 }
const searches = { type: 'web_search_20250305', name: 'web_search', max_uses: 2 }
/** A prompt with more bytes than any case bills as prompt tokens: a provider counts at most one token for each byte. */
const long = 'word '.repeat(620)
const says = (...content: object[]) => ({
  messages: [{ role: 'user', content: [...content, { type: 'text', text: long }] }],
})
const picture = { type: 'image_url', image_url: { url: 'https://pictures.test/1.png' } }
const sound = { type: 'input_audio', input_audio: { data: 'A'.repeat(4000), format: 'wav' } }
const stored = { type: 'text', text: 'Hi', cache_control: { type: 'ephemeral', ttl: '1h' } }

type Case = { provider: string; endpoint?: object; model?: object; body: object; path?: string }

/** For each model: its protocol and the request. */
const cases: Record<string, Case> = {
  'claude-searching': { provider: 'anthropic', body: { tools: [searches] } },
  'claude-keeping': { provider: 'anthropic', endpoint: { cache_write_1h: 6 }, body: says(stored) },
  'gemini-2.5-flash': { provider: 'google', body: { tools: [{ type: 'google_search' }] } },
  'gemini-3-flash': {
    provider: 'google',
    endpoint: { tools: { google_search: 0.014 } },
    body: { tools: [{ type: 'google_search' }] },
  },
  'searching-chat': {
    provider: 'chats',
    endpoint: { tools: { web_search: 0.025 } },
    body: { web_search_options: {} },
  },
  painter: { provider: 'chats', endpoint: { image: 0.04 }, model: { output_modalities: ['text', 'image'] }, body: {} },
  'looks-at-pictures': { provider: 'chats', endpoint: { image: 0.04 }, body: says(picture, picture) },
  listener: {
    provider: 'chats',
    endpoint: { audio_prompt: 40, audio_completion: 80 },
    body: { ...says(sound), modalities: ['text', 'audio'] },
  },
  'silent-listener': { provider: 'chats', endpoint: { audio_prompt: 40 }, body: says(sound) },
  hurried: {
    provider: 'chats',
    endpoint: { service_tiers: { priority: { prompt: 6, completion: 30 } } },
    body: { service_tier: 'priority' },
  },
  researcher: {
    provider: 'openai',
    path: '/responses',
    body: {
      messages: undefined,
      input: long,
      tools: [{ type: 'web_search' }],
      max_tool_calls: 2,
      max_tokens: undefined,
    },
  },
}

function catalogueOn(url: string): object {
  const provider = (protocol: string, tools: object) => ({ name: protocol, protocol, base_url: url, tools })
  const parameters = ['tools', 'tool_choice', 'max_tokens']
  const modelOf = ([name, { provider: by, endpoint, model }]: [string, Case]) => {
    const offer = { model: name, max_completion_tokens: 200, supported_parameters: parameters }
    const endpoints = { [by]: { ...offer, prices: { ...prices, ...endpoint } } }
    const input_modalities = ['text', 'image', 'audio']
    return [
      `test/${name}`,
      { name, created: '2026-01-01', context_length: 4000, input_modalities, ...model, endpoints },
    ]
  }
  return {
    providers: {
      chats: provider('openai-chat', {}),
      openai: provider('openai-responses', { web_search: 0.01 }),
      anthropic: provider('anthropic-messages', { web_search: 0.01 }),
      google: provider('google-gemini', { google_search: 0.035 }),
    },
    models: Object.fromEntries(Object.entries(cases).map(modelOf)),
  }
}

describe('units that a provider bills in addition to text', () => {
  let upstream: ScriptedUpstream
  let service: TestService
  let billed = 0
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-units-'))

  function respond({ path, body }: Received) {
    const name = body.model ?? /models\/([^:]+):/.exec(path)?.[1]
    const { billed: usd, response: result } = served[name]!(body)
    billed += usd
    return { status: 200, type: 'application/json', body: JSON.stringify(result) }
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

  async function keyWith(usd: number | null): Promise<string> {
    const { body } = await service.manage('POST', '/keys', { name: 'one', ...(usd !== null && { limit: usd }) })
    return body.key
  }
  const bodyOf = (name: string, more: object = {}) => ({
    model: `test/${name}`,
    messages: [{ role: 'user', content: long }],
    max_tokens: 200,
    ...cases[name]!.body,
    ...more,
  })
  const ask = (key: string, name: string, more: object = {}) =>
    service.ask('POST', cases[name]!.path ?? '/chat/completions', { key, body: bodyOf(name, more) })
  async function record(reply: { headers: Headers }) {
    await new Promise((resolve) => setTimeout(resolve, 1200))
    const { body } = await service.ask('GET', `/generation?id=${reply.headers.get('x-generation-id')}`)
    return body.data
  }

  for (const name of Object.keys(cases)) {
    test(`${name}: sixty requests are charged as billed, within the limit`, async () => {
      const key = await keyWith(limit)
      billed = 0
      let completed = 0
      let charged = 0
      for (let round = 0; round < 20; round++) {
        const replies = await Promise.all([1, 2, 3].map(() => ask(key, name)))
        for (const { status, body } of replies) {
          assert.ok(status === 200 || status === 403 || status === 429, JSON.stringify(body))
          if (status === 200) completed++
          charged += body.usage?.cost ?? 0
        }
      }
      assert.ok(completed > 0, 'no request was answered')
      assert.ok(billed <= limit, `${billed} of ${limit} USD`)
      assert.ok(charged >= billed - 1e-9, `charged ${charged} for ${billed} USD`)
      if (name !== 'silent-listener') assert.ok(Math.abs(charged - billed) < 1e-9, `charged ${charged} for ${billed}`)
    })
  }

  test('a unit without a price is refused by name under a limit', async () => {
    const key = await keyWith(5)
    const before = upstream.requests.length
    const refused: [name: string, more: object, why: RegExp][] = [
      [
        'claude-searching',
        { tools: [{ type: 'code_execution_20250825', name: 'code_execution' }] },
        /tools\[0\] \(code_execution_20250825\) has no price at anthropic \(prices\.tools\.code_execution\)/,
      ],
      [
        'claude-searching',
        { tools: [{ ...searches, max_uses: undefined }] },
        /tools\[0\]\.max_uses must limit how often/,
      ],
      ['claude-searching', says(stored), /cache_control\.ttl has no price at anthropic \(prices\.cache_write_1h\)/],
      ['researcher', { max_tool_calls: undefined }, /max_tool_calls must limit how often/],
      ['researcher', { tools: [{ type: 'image_generation' }] }, /tools\[0\] \(image_generation\) has no price/],
      ['hurried', { service_tier: 'scale' }, /service_tier \(scale\) has no price/],
      ['hurried', says(sound), /audio has no price at chats \(prices\.audio_prompt\)/],
      ['hurried', { modalities: ['text', 'audio'] }, /a response in audio has no price/],
      ['hurried', { modalities: ['text', 'image'] }, /a response with images has no price/],
      ['hurried', { search_parameters: { mode: 'on' } }, /search_parameters has no price/],
    ]
    for (const [name, more, why] of refused) {
      const { status, body } = await ask(key, name, more)
      assert.equal(status, 403, `${name} ${JSON.stringify(more)}`)
      assert.match(body.error.message, /^This request cannot be priced: /)
      assert.match(body.error.message, why)
      assert.equal(body.error.metadata.rule, 'limit_usd')
    }
    assert.equal(upstream.requests.length, before)
  })

  test('without a limit it is served, and the record names the missing price', async () => {
    const key = await keyWith(null)
    const tools = [{ type: 'code_execution_20250825', name: 'code_execution' }]
    const response = await record(await ask(key, 'claude-searching', { tools }))
    assert.deepEqual([response.unpriced, response.billed_pieces], [['tools.code_execution'], { web_search: 2 }])
    const scaled = await record(await ask(key, 'hurried', { service_tier: 'scale' }))
    assert.deepEqual([scaled.unpriced, scaled.service_tier], [['service_tiers.scale'], 'scale'])
  })

  test('a tier that a provider did not grant is not charged', async () => {
    const key = await keyWith(5)
    served.hurried = () => ({ billed: text, response: chatResponse({}, { service_tier: 'default' }) })
    const { body } = await ask(key, 'hurried')
    assert.ok(Math.abs(body.usage.cost - text) < 1e-9)
  })

  test('a tool that the endpoint does not know is not sent, and the refusal says why', async () => {
    const key = await keyWith(null)
    const before = upstream.requests.length
    const { status, body } = await ask(key, 'gemini-2.5-flash', { tools: [searches] })
    assert.equal(status, 400)
    assert.match(body.error.message, /it does not support a provider tool of the request \(.*\). Remove the tool/)
    assert.equal(upstream.requests.length, before)
  })
})
