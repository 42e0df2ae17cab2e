import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ChatRequest } from '#chat/chat-request.ts'
import { encoded, endpointFor, weatherCall, weatherTool } from '#test/harness/upstream/endpoints/encode-request.ts'
import { chatClientProtocols } from '../../clients/client-protocols.ts'
import { googleGemini } from './google-gemini.ts'

const bodyOf = (chat: Partial<ChatRequest>, model = 'gemini-2.5-flash') => encoded(googleGemini, model, chat).body

const calling = {
  role: 'assistant' as const,
  content: null,
  tool_calls: [{ id: 'a', type: 'function', function: { name: 'weather', arguments: '{}' } }],
}

describe('google-gemini, requests', () => {
  test('the model is in the path, the credential in a header', () => {
    const streamed = encoded(googleGemini, 'gemini-2.5-pro', {})
    assert.equal(streamed.path, '/models/gemini-2.5-pro:streamGenerateContent?alt=sse')
    assert.deepEqual(streamed.headers, { 'x-goog-api-key': 'secret' })
    assert.equal(encoded(googleGemini, 'gemini-2.5-pro', {}, false).path, '/models/gemini-2.5-pro:generateContent')
  })

  test('system is separate, the assistant is the model, and roles alternate', () => {
    const messages = [
      { role: 'system' as const, content: 'Be brief.' },
      { role: 'user' as const, content: 'Hi' },
      { role: 'user' as const, content: 'there' },
      { role: 'assistant' as const, content: 'Hello' },
    ]
    assert.deepEqual(bodyOf({ messages }), {
      systemInstruction: { parts: [{ text: 'Be brief.' }] },
      contents: [
        { role: 'user', parts: [{ text: 'Hi' }, { text: 'there' }] },
        { role: 'model', parts: [{ text: 'Hello' }] },
      ],
    })
  })

  test('a result names its function, and only Gemini ids are sent back', () => {
    const { contents } = bodyOf({ messages: weatherCall() })
    assert.deepEqual(contents[1].parts, [{ functionCall: { name: 'weather', args: { city: 'Rome' } } }])
    assert.deepEqual(contents[2], {
      role: 'user',
      parts: [{ functionResponse: { name: 'weather', response: { sky: 'blue' } } }],
    })
    const own = JSON.parse(JSON.stringify(weatherCall()).replaceAll('call_A', 'f7k2'))
    assert.equal(bodyOf({ messages: own }).contents[2].parts[0].functionResponse.id, 'f7k2')
  })

  test('a result becomes an object; images follow it', () => {
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }
    const content = [{ type: 'text', text: 'sunny' }, image]
    const { contents } = bodyOf({ messages: [calling, { role: 'tool', tool_call_id: 'a', content }] })
    const { parts } = contents.at(-1)
    assert.deepEqual(parts[0].functionResponse.response, { output: 'sunny' })
    assert.deepEqual(parts[1], { inlineData: { mimeType: 'image/png', data: 'AAAA' } })
  })

  test('a result in parts is not parsed as JSON or joined seamlessly', () => {
    const resultOf = (...texts: string[]) => {
      const content = texts.map((text) => ({ type: 'text', text }))
      const { contents } = bodyOf({ messages: [calling, { role: 'tool', tool_call_id: 'a', content }] })
      return contents.at(-1).parts[0].functionResponse.response
    }
    assert.deepEqual(resultOf('blue', 'berry'), { output: 'blue\nberry' })
    assert.deepEqual(resultOf('{"to":', '"\\u0062lueberry"}'), { output: '{"to":\n"\\u0062lueberry"}' })
    assert.deepEqual(resultOf('{"sky":"blue"}', ''), { sky: 'blue' })
  })

  test('tools are declared together, with their JSON Schema', () => {
    const { name, description, parameters } = weatherTool.function
    const { tools } = bodyOf({ tools: [weatherTool] })
    assert.deepEqual(tools, [{ functionDeclarations: [{ name, description, parametersJsonSchema: parameters }] }])
  })

  test('tool choices', () => {
    const choose = (tool_choice: ChatRequest['tool_choice']) =>
      bodyOf({ tools: [weatherTool], tool_choice }).toolConfig?.functionCallingConfig
    assert.equal(choose(undefined), undefined)
    assert.deepEqual(choose('auto'), { mode: 'AUTO' })
    assert.deepEqual(choose('none'), { mode: 'NONE' })
    assert.deepEqual(choose('required'), { mode: 'ANY' })
    const named = { type: 'function', function: { name: 'weather' } }
    assert.deepEqual(choose(named), { mode: 'ANY', allowedFunctionNames: ['weather'] })
  })

  test('settings have the names of the protocol', () => {
    const { generationConfig } = bodyOf({
      max_tokens: 9,
      temperature: 0.5,
      top_p: 0.9,
      top_k: 4,
      seed: 7,
      stop: 'END',
      frequency_penalty: 0.1,
      presence_penalty: 0.2,
    })
    assert.deepEqual(generationConfig, {
      maxOutputTokens: 9,
      temperature: 0.5,
      topP: 0.9,
      topK: 4,
      seed: 7,
      frequencyPenalty: 0.1,
      presencePenalty: 0.2,
      stopSequences: ['END'],
    })
  })

  test('a response schema', () => {
    const schema = { type: 'object' }
    const response_format = { type: 'json_schema', json_schema: { name: 'x', schema } }
    const { generationConfig } = bodyOf({ response_format })
    assert.deepEqual(generationConfig, { responseMimeType: 'application/json', responseJsonSchema: schema })
  })

  test('an error has the message of the upstream, also in a list', () => {
    const body = { error: { code: 400, message: 'bad', status: 'INVALID_ARGUMENT' } }
    assert.deepEqual([googleGemini.readErrorMessage(body), googleGemini.readErrorMessage([body])], ['bad', 'bad'])
  })
})

describe('google-gemini, thinking', () => {
  const thinkingOf = (chat: Partial<ChatRequest>, model?: string) =>
    bodyOf(chat, model).generationConfig?.thinkingConfig

  test('up to 2.5 by a budget within the model’s range', () => {
    assert.deepEqual(thinkingOf({ reasoning: { max_tokens: 2000 } }), { includeThoughts: true, thinkingBudget: 2000 })
    assert.equal(thinkingOf({ reasoning: { max_tokens: 99_999 } }).thinkingBudget, 24_576)
    assert.equal(thinkingOf({ reasoning_effort: 'low', max_tokens: 10_000 }).thinkingBudget, 2000)
    assert.equal(thinkingOf({ reasoning: { enabled: true } }).thinkingBudget, -1)
    assert.deepEqual(thinkingOf({ reasoning_effort: 'none' }), { thinkingBudget: 0 })
    assert.deepEqual(thinkingOf({ reasoning_effort: 'none' }, 'gemini-2.5-pro'), { thinkingBudget: 128 })
    assert.equal(thinkingOf({}), undefined)
  })

  test('from 3 by a level of the model', () => {
    const level = (reasoning_effort: string, model: string) => thinkingOf({ reasoning_effort }, model).thinkingLevel
    assert.equal(level('medium', 'gemini-3-flash-preview'), 'MEDIUM')
    assert.equal(level('minimal', 'gemini-3-flash-preview'), 'MINIMAL')
    assert.equal(level('medium', 'gemini-3-pro-preview'), 'HIGH')
    assert.equal(level('medium', 'gemini-3.1-pro-preview'), 'MEDIUM')
    assert.equal(level('none', 'gemini-3.1-pro-preview'), 'LOW')
    assert.equal(level('xhigh', 'gemini-3-flash-preview'), 'HIGH')
  })

  test('a signature is sent back on its call or text', () => {
    const forCall = { type: 'reasoning.encrypted', data: 'CikB', id: 'call_A', format: 'google-gemini-v1' }
    const { contents } = bodyOf({ messages: weatherCall({ reasoning_details: [forCall] }) })
    assert.equal(contents[1].parts[0].thoughtSignature, 'CikB')
    const forText = { type: 'reasoning.encrypted', data: 'CikC', format: 'google-gemini-v1' }
    const response = { role: 'assistant' as const, content: 'Yes.', reasoning_details: [forText] }
    assert.deepEqual(bodyOf({ messages: [response] }).contents[1].parts, [{ text: 'Yes.', thoughtSignature: 'CikC' }])
  })

  test('a call of another provider gets a placeholder signature', () => {
    const signatureFor = (model: string) =>
      bodyOf({ messages: weatherCall() }, model).contents[1].parts[0].thoughtSignature
    assert.equal(signatureFor('gemini-3-flash-preview'), 'skip_thought_signature_validator')
    assert.equal(signatureFor('gemini-2.5-flash'), undefined)
  })
})

describe('google-gemini, service tiers', () => {
  test('flex and priority are sent and billed, and the standard tier needs no field', () => {
    for (const service_tier of ['flex', 'priority', 'default', 'auto', 'scale']) {
      const sent = ['flex', 'priority'].includes(service_tier) ? service_tier : undefined
      assert.equal(bodyOf({ service_tier }).serviceTier, sent)
      assert.equal(googleGemini.billableOptions!({ service_tier }, endpointFor('gemini-2.5-pro')).serviceTier, sent)
    }
    const { headers, body } = encoded(googleGemini, endpointFor('a', { provider: 'vertex' }), { service_tier: 'flex' })
    assert.deepEqual([headers['x-vertex-ai-llm-shared-request-type'], body.serviceTier], ['flex', undefined])
  })

  for (const [usage, chatTier, messagesTier] of [
    [{ serviceTier: 'standard' }, 'default', 'standard'],
    [{ serviceTier: 'priority' }, 'priority', 'priority'],
    [{ trafficType: 'ON_DEMAND_PRIORITY' }, 'priority', 'priority'],
    [{ serviceTier: 'flex' }, 'flex', null],
  ] as const)
    test(`every client gets the tier of a response: ${JSON.stringify(usage)}`, () => {
      const candidates = [{ content: { parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }]
      const usageMetadata = { promptTokenCount: 5, candidatesTokenCount: 1, ...usage }
      const events = googleGemini.readBody({ candidates, usageMetadata })
      const tiers = chatClientProtocols.map(({ writeBody, createWriter }) => {
        const head = { id: 'a', model: 'a/b', createdSeconds: 0 }
        const writer = createWriter(head, { includeUsage: true })
        const streamed = events.map((event) => writer.event(event)).join('') + writer.end(undefined)
        const whole = writeBody(head, events, undefined) as { service_tier?: string; usage: { service_tier?: string } }
        const tier = whole.service_tier ?? whole.usage.service_tier
        assert.ok(tier === null || streamed.includes(`"service_tier":"${tier}"`), streamed)
        return tier
      })
      assert.deepEqual(tiers, [chatTier, chatTier, messagesTier])
    })
})
