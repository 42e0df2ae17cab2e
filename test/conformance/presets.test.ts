import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { OpenRouter } from '@openrouter/sdk'
import { startTestService, type TestService } from '#test/harness/service/service.ts'

describe('@openrouter/sdk, presets', () => {
  let service: TestService
  let presets: OpenRouter['presets']
  const clientFor = (apiKey: string) =>
    new OpenRouter({ apiKey, serverURL: service.url, retryConfig: { strategy: 'none' } })
  before(async () => {
    service = await startTestService()
    presets = clientFor(service.managementKey).presets
  })
  after(() => service[Symbol.asyncDispose]())

  test('createPresetsResponses: the smallest body', async () => {
    const { data } = await presets.createPresetsResponses({ slug: 'small', responsesRequest: {} })
    assert.deepEqual([data.slug, data.status, data.designatedVersion?.version], ['small', 'active', 1])
    assert.deepEqual(data.designatedVersion?.config, {})
    assert.equal(data.designatedVersion?.systemPrompt, null)
  })

  test('createPresetsResponses: a body with every kind of field', async () => {
    const { data } = await presets.createPresetsResponses({
      slug: 'large',
      responsesRequest: {
        model: 'anthropic/claude-sonnet-4.5',
        models: ['openai/gpt-5'],
        instructions: 'Answer with a haiku.',
        input: [{ role: 'user', content: 'Spring' }],
        temperature: 0.7,
        topK: 40,
        maxOutputTokens: 500,
        metadata: { team: 'poetry' },
        cacheControl: { type: 'ephemeral' },
        debug: { echoUpstreamBody: true },
        imageConfig: { aspect_ratio: '16:9' },
        include: ['reasoning.encrypted_content'],
        modalities: ['text', 'image'],
        plugins: [{ id: 'web', maxResults: 3 }],
        prompt: { id: 'pmpt_1', variables: { city: 'Rome' } },
        promptCacheOptions: { mode: 'explicit', ttl: '30m' },
        provider: {
          order: ['anthropic'],
          allowFallbacks: false,
          dataCollection: 'deny',
          quantizations: ['fp8'],
          sort: { by: 'price', partition: 'none' },
          maxPrice: { prompt: '3', completion: '15' },
          preferredMinThroughput: { p50: 20 },
          preferredMaxLatency: 2,
        },
        reasoning: { effort: 'high', summary: 'auto', enabled: true },
        serviceTier: 'flex',
        sessionId: 'session',
        stopServerToolsWhen: [
          { type: 'step_count_is', stepCount: 5 },
          { type: 'max_cost', maxCostInDollars: 0.5 },
          { type: 'has_tool_call', toolName: 'finish' },
        ],
        text: { format: { type: 'json_schema', name: 'haiku', schema: { type: 'object' } }, verbosity: 'low' },
        toolChoice: 'auto',
        tools: [{ type: 'function', name: 'look_up', parameters: { type: 'object' } }],
        trace: { traceId: 'trace', additionalProperties: { mine: 1 } },
        truncation: 'auto',
        user: 'someone',
      },
    })
    const { config, systemPrompt } = data.designatedVersion!
    assert.equal(systemPrompt, 'Answer with a haiku.')
    assert.deepEqual(
      [config.service_tier, config.text.format.name, config.provider.sort.by],
      ['flex', 'haiku', 'price'],
    )
    assert.deepEqual(
      ['input', 'metadata', 'trace', 'user', 'session_id', 'debug', 'include', 'prompt'].filter((key) => key in config),
      [],
    )
  })

  test('createPresetsChatCompletions and createPresetsMessages', async () => {
    const chat = await presets.createPresetsChatCompletions({
      slug: 'chat',
      chatRequest: {
        model: 'openai/gpt-5',
        messages: [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
        ],
        maxTokens: 100,
        stop: ['END'],
        toolChoice: 'required',
        tools: [{ type: 'function', function: { name: 'look_up', parameters: { type: 'object' } } }],
      },
    })
    assert.equal(chat.data.designatedVersion?.systemPrompt, 'Be brief.')
    const messages = await presets.createPresetsMessages({
      slug: 'messages',
      messagesRequest: {
        model: 'anthropic/claude-sonnet-4.5',
        maxTokens: 100,
        system: [{ type: 'text', text: 'Be brief.' }],
        messages: [{ role: 'user', content: 'Hi' }],
        thinking: { type: 'enabled', budgetTokens: 2048 },
        tools: [{ name: 'look_up', inputSchema: { type: 'object' } }],
      },
    })
    assert.equal(messages.data.designatedVersion?.systemPrompt, 'Be brief.')
  })

  test('list and listVersions page through everything, get and getVersion find one', async () => {
    for (let n = 0; n < 3; n++) await presets.createPresetsResponses({ slug: 'paged', responsesRequest: {} })
    const slugs: string[] = []
    for await (const page of await presets.list({ limit: 2 })) slugs.push(...page.result.data.map(({ slug }) => slug))
    assert.deepEqual([slugs[0], new Set(slugs).size], ['paged', slugs.length])
    const numbers: (number | undefined)[] = []
    for await (const page of await presets.listVersions({ slug: 'paged', limit: 2, offset: null })) {
      numbers.push(...page.result.data.map((version) => version?.version))
    }
    assert.deepEqual(numbers, [1, 2, 3])
    const { data } = await presets.get({ slug: 'paged' })
    assert.deepEqual((await presets.getVersion({ slug: 'paged', version: '3' })).data, data.designatedVersion)
  })

  test('every refusal is the error that the client knows', async () => {
    const ordinary = clientFor(service.apiKey).presets
    const nobody = clientFor('nothing').presets
    const body = { slug: 'refused', responsesRequest: {} }
    await assert.rejects(presets.createPresetsResponses({ ...body, slug: 'Bad' }), { name: 'BadRequestResponseError' })
    await assert.rejects(nobody.createPresetsResponses(body), { name: 'UnauthorizedResponseError' })
    await assert.rejects(ordinary.createPresetsResponses(body), {
      name: 'ForbiddenResponseError',
      message: 'Only management keys can perform this operation',
    })
    await assert.rejects(presets.get({ slug: 'nothing' }), { name: 'NotFoundResponseError' })
    await assert.rejects(presets.getVersion({ slug: 'small', version: '9' }), { name: 'NotFoundResponseError' })
  })
})
