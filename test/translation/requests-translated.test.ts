import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { upstreamProtocols } from '#test/harness/upstream/provider-facts.ts'
import { type RecordedProviders, startWithRecordings } from '#test/harness/upstream/recorded-providers.ts'

describe('equivalent fields of the protocols', () => {
  let recorded: RecordedProviders
  before(async () => {
    recorded = await startWithRecordings()
  })
  after(() => recorded[Symbol.asyncDispose]())

  async function sent(path: string, body: object): Promise<{ status: number; body: any }> {
    const before = recorded.upstream.requests.length
    const { status } = await recorded.service.ask('POST', path, { body })
    return { status, body: recorded.upstream.requests[before]?.body }
  }

  test('a custom tool reaches upstreams that support it, and others as a function', async () => {
    const input = [
      { role: 'user', content: 'Hi' },
      { type: 'custom_tool_call', call_id: 'c1', name: 'patch', input: 'a b' },
      { type: 'custom_tool_call_output', call_id: 'c1', output: 'done' },
    ]
    const format = { type: 'grammar', syntax: 'lark', definition: 'start: "a"' }
    const tools = [{ type: 'custom', name: 'patch', description: 'Patches.', format }]
    const ask = async (protocol: string) => (await sent('/responses', { model: `${protocol}/text`, input, tools })).body
    assert.deepEqual((await ask('openai-responses')).tools, tools)
    const chat = await ask('openai-chat')
    assert.equal(chat.tools[0].function.name, 'patch')
    assert.equal(chat.messages[1].tool_calls[0].function.arguments, '{"input":"a b"}')
    const anthropic = await ask('anthropic-messages')
    assert.deepEqual(anthropic.tools[0].input_schema.required, ['input'])
    assert.deepEqual(anthropic.messages[1].content[0].input, { input: 'a b' })
    const gemini = await ask('google-gemini')
    assert.equal(gemini.tools[0].functionDeclarations[0].name, 'patch')
  })

  test('instructions alone are a prompt, and an empty request is refused', async () => {
    for (const protocol of upstreamProtocols) {
      const model = `${protocol}/text`
      const { status, body } = await sent('/chat/completions', {
        model,
        messages: [{ role: 'system', content: 'Say hi.' }],
      })
      assert.equal(status, 200, protocol)
      assert.ok((body.messages ?? body.contents ?? body.input).length > 0, protocol)
    }
    const input = [{ role: 'user', content: '' }]
    const { body } = await sent('/responses', { model: 'openai-responses/text', instructions: 'Say hi.', input: [] })
    assert.deepEqual([body.instructions, body.input], ['Say hi.', input])
    for (const protocol of ['openai-responses', 'anthropic-messages', 'google-gemini']) {
      const nothing = await sent('/chat/completions', {
        model: `${protocol}/text`,
        messages: [{ role: 'user', content: '' }],
      })
      assert.deepEqual(nothing, { status: 400, body: undefined }, protocol)
    }
  })

  test('fields of responses do not reach chats', async () => {
    const own = { context_management: [{ type: 'compaction' }], include: ['a.b'], service_tier: 'on_demand' }
    const { status, body } = await sent('/responses', { model: 'openai-chat/text', input: 'Hi', ...own })
    assert.deepEqual([status, body.context_management, body.include], [200, undefined, undefined])
    assert.equal(body.service_tier, 'on_demand')
  })

  test('a tool without a type is a function, and unused fields can be null', async () => {
    const tools = [{ function: { name: 'look', parameters: { type: 'object' } } }]
    const content = [{ type: 'text', text: 'Hi', image_url: null }]
    for (const protocol of upstreamProtocols) {
      const messages = [{ role: 'user', content }]
      const { status, body } = await sent('/chat/completions', { model: `${protocol}/text`, messages, tools })
      assert.deepEqual([status, JSON.stringify(body.tools).includes('"look"')], [200, true], protocol)
    }
    const refused = await sent('/chat/completions', { model: 'openai-chat/text', messages: [], tools: [{ name: 'x' }] })
    assert.equal(refused.status, 400)
  })

  test('`any` of Mistral insists on a tool in the word of every protocol', async () => {
    const tools = [{ type: 'function', function: { name: 'look' } }]
    const messages = [{ role: 'user', content: 'Hi' }]
    const translatedFor = async (protocol: string) => {
      const request = { model: `${protocol}/text`, messages, tools, tool_choice: 'any' }
      const { body } = await sent('/chat/completions', request)
      return body.toolConfig?.functionCallingConfig.mode ?? body.tool_choice.type ?? body.tool_choice
    }
    assert.equal(await translatedFor('openai-chat'), 'required')
    assert.equal(await translatedFor('openai-responses'), 'required')
    assert.equal(await translatedFor('anthropic-messages'), 'any')
    assert.equal(await translatedFor('google-gemini'), 'ANY')
  })

  test('functions in namespaces are called by clients of responses as they named them', async () => {
    const weather = { type: 'function', name: 'weather', parameters: { type: 'object' } }
    const tools = [
      { type: 'namespace', name: 'mcp__sky', tools: [weather] },
      { ...weather, name: 'own' },
    ]
    const call = { type: 'function_call', call_id: 'c1', namespace: 'mcp__sky', name: 'weather', arguments: '{}' }
    const input = [{ role: 'user', content: 'Hi' }, call, { type: 'function_call_output', call_id: 'c1', output: 'x' }]
    for (const protocol of upstreamProtocols.filter((one) => one !== 'openai-responses')) {
      const { body } = await sent('/responses', { model: `${protocol}/text`, input, tools })
      const translatedFor = JSON.stringify([body.tools, body.messages ?? body.contents])
      assert.equal(translatedFor.split('"mcp__sky__weather"').length, protocol === 'google-gemini' ? 4 : 3, protocol)
      assert.ok(translatedFor.includes('"own"'))
    }
    const refused = await sent('/responses', { model: 'openai-chat/text', input: 'Hi', tools: [{ type: 'namespace' }] })
    assert.equal(refused.status, 400)
  })

  test('the result of a provider-specific call is omitted with the call', async () => {
    const call = { type: 'tool_search_call', call_id: 's1', arguments: {} }
    const input = [{ role: 'user', content: 'Hi' }, call, { type: 'function_call_output', call_id: 's1', output: 'x' }]
    const { body } = await sent('/responses', { model: 'openai-chat/text', input })
    assert.deepEqual(body.messages, [{ role: 'user', content: 'Hi' }])
  })

  test('a call and its result reach Anthropic under a valid name', async () => {
    const id = 'functions.read:0'
    const call = { id, type: 'function', function: { name: 'read', arguments: '{}' } }
    const result = { role: 'assistant', content: null, tool_calls: [call] }
    const messages = [{ role: 'user', content: 'Hi' }, result, { role: 'tool', tool_call_id: id, content: 'x' }]
    const { body } = await sent('/chat/completions', { model: 'anthropic-messages/text', messages })
    const [, { content: calls }, { content: results }] = body.messages
    assert.match(calls[0].id, /^[a-zA-Z0-9_-]+$/)
    assert.equal(results[0].tool_use_id, calls[0].id)
  })

  test('the failure of a tool is expressed in the target protocol', async () => {
    const call = { type: 'tool_use', id: 't1', name: 'read', input: {} }
    const result = { type: 'tool_result', tool_use_id: 't1', content: 'no such file', is_error: true }
    const messages = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: [call] },
      { role: 'user', content: [result] },
    ]
    const translatedFor = async (protocol: string) => {
      const { body } = await sent('/messages', { model: `${protocol}/text`, max_tokens: 100, messages })
      return body.messages?.at(-1) ?? body.input?.at(-1) ?? body.contents.at(-1).parts[0].functionResponse.response
    }
    assert.deepEqual((await translatedFor('anthropic-messages')).content, [result])
    assert.deepEqual(await translatedFor('google-gemini'), { error: 'no such file' })
    assert.equal((await translatedFor('openai-responses')).output, 'Error:\nno such file')
    const inChat = { role: 'tool', tool_call_id: 't1', content: 'Error:\nno such file' }
    assert.deepEqual(await translatedFor('openai-chat'), inChat)
  })

  test('names that are null pass', async () => {
    const messages = [{ role: 'user', content: 'Hi', name: null }]
    for (const protocol of upstreamProtocols)
      assert.equal((await sent('/chat/completions', { model: `${protocol}/text`, messages })).status, 200, protocol)
  })

  test('reasoning with its own type returns to Responses unchanged', async () => {
    const content = [{ type: 'reasoning_text', text: 'Hm' }]
    const summary = [{ type: 'summary_text', text: 'So' }]
    const [result, summed] = [{ summary: [], content }, { summary }].map((one) => ({
      type: 'reasoning',
      id: 'rs_1',
      ...one,
    }))
    const input = [{ role: 'user', content: 'Hi' }, result, summed, { role: 'user', content: 'And?' }]
    const { body } = await sent('/responses', { model: 'openai-responses/text', input })
    assert.deepEqual(body.input, input)
  })
})
