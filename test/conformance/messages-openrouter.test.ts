import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { OpenRouter } from '@openrouter/sdk'
import { type MessagesRequest, messagesRequestToJSON } from '@openrouter/sdk/models'
import { upstreamProtocols } from '#test/harness/upstream/provider-facts.ts'
import { type RecordedProviders, startWithRecordings } from '#test/harness/upstream/recorded-providers.ts'

const inputSchema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='

/** A messages body that the types of the SDK allow and every upstream can answer. */
const everything = (model: string): MessagesRequest => ({
  model,
  maxTokens: 2000,
  system: [{ type: 'text', text: 'Be brief.', cacheControl: { type: 'ephemeral' } }],
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Weather in Rome?' },
        { type: 'image', source: { type: 'base64', mediaType: 'image/png', data: png } },
      ],
    },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'Rome' } }] },
    { role: 'user', content: [{ type: 'tool_result', toolUseId: 'toolu_1', content: 'sunny' }] },
  ],
  tools: [{ name: 'weather', description: 'Returns the weather.', inputSchema }],
  toolChoice: { type: 'auto', disableParallelToolUse: true },
  thinking: { type: 'enabled', budgetTokens: 1024 },
  metadata: { userId: 'user-1' },
  provider: { allowFallbacks: true },
  plugins: [{ id: 'response-healing', enabled: false }],
  sessionId: 'session-1',
  user: 'user-1',
})

describe('@openrouter/sdk, where it types /messages', () => {
  let recorded: RecordedProviders
  before(async () => {
    recorded = await startWithRecordings()
  })
  after(() => recorded[Symbol.asyncDispose]())

  for (const protocol of upstreamProtocols)
    test(`a body of its types is answered over ${protocol}, whole and streamed`, async () => {
      for (const stream of [false, true]) {
        const body = JSON.parse(messagesRequestToJSON({ ...everything(`${protocol}/text`), stream }))
        const { status, text } = await recorded.service.ask('POST', '/messages', { body })
        assert.equal(status, 200, text)
        assert.match(text, stream ? /event: message_stop/ : /"stop_reason": ?"end_turn"/)
        const sent = recorded.upstream.requests.at(-1)!.text
        for (const part of ['Weather in Rome?', png, 'sunny', 'Be brief.', 'Returns the weather.'])
          assert.ok(sent.includes(part), part)
        for (const ours of ['session-1', 'response-healing', 'allow_fallbacks']) assert.ok(!sent.includes(ours), ours)
      }
    })

  test('createPresetsMessages stores the configuration, used over every upstream', async () => {
    const { service } = recorded
    const apiKey = service.managementKey
    const { presets } = new OpenRouter({ apiKey, serverURL: service.url, retryConfig: { strategy: 'none' } })
    const messagesRequest = everything('openai-chat/text')
    const { data } = await presets.createPresetsMessages({ slug: 'forecaster', messagesRequest })
    assert.equal(data.designatedVersion?.systemPrompt, 'Be brief.')
    for (const protocol of upstreamProtocols) {
      const body = { model: `${protocol}/text@preset/forecaster`, messages: [{ role: 'user', content: 'Hi' }] }
      const { status, text } = await service.ask('POST', '/messages', { body })
      assert.equal(status, 200, text)
      const sent = recorded.upstream.requests.at(-1)!.text
      for (const part of ['Be brief.', 'Returns the weather.', '2000'])
        assert.ok(sent.includes(part), `${protocol} ${part}`)
    }
  })
})
