import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { startTestService, type TestService } from '../harness/service/service.ts'
import { type Received, type ScriptedUpstream, startScriptedUpstream } from '../harness/upstream/scripted-upstream.ts'

const schema = { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] }
const json = { response_format: { type: 'json_schema', json_schema: { name: 'x', schema } } }
const healing = { plugins: [{ id: 'response-healing' }] }
const user = (content: string) => ({ role: 'user', content })

/** The next response of the provider, in pieces. */
let says = ['']
/** The tools that it calls first, where it has them. */
let calls: string[] = []
let upstream: ScriptedUpstream
let service: TestService
let folder: string

before(async () => {
  upstream = await startScriptedUpstream(respondTo)
  folder = mkdtempSync(join(tmpdir(), 'signalbox-plugins-'))
  const catalogue_file = join(folder, 'catalogue.json')
  const supported_parameters = ['structured_outputs', 'response_format', 'tools', 'max_tokens']
  const offer = { model: 'm', prices: { prompt: 1, completion: 2 }, supported_parameters }
  const model = (context_length: number) => ({
    name: 'M',
    created: '2026-01-01',
    context_length,
    endpoints: { p: offer },
  })
  const provider = { name: 'P', protocol: 'openai-chat', base_url: upstream.url, credentials: ['TEST_KEY'] }
  const models = { 'a/large': model(100_000), 'a/medium': model(2_000), 'a/small': model(1_000) }
  writeFileSync(catalogue_file, JSON.stringify({ providers: { p: provider }, models }))
  const settings = { catalogue_file, starter_catalogue: 'false' as never }
  service = await startTestService({ settings, variables: { TEST_KEY: 'upstream-secret' } })
})
after(async () => {
  await service[Symbol.asyncDispose]()
  await upstream[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true })
})

function respondTo({ body }: Received) {
  const usage = { prompt_tokens: 10, completion_tokens: 5 }
  const head = { id: 'chatcmpl-1', created: 1, model: 'm' }
  const called = toolCalls(body)
  const [delta] = called.length > 0 ? [{ content: 'Let me see. ', tool_calls: called }] : []
  const finish_reason = delta ? 'tool_calls' : 'stop'
  if (!body.stream) {
    const choices = [
      { index: 0, message: { role: 'assistant', ...(delta ?? { content: says.join('') }) }, finish_reason },
    ]
    return {
      status: 200,
      type: 'application/json',
      body: JSON.stringify({ ...head, object: 'chat.completion', choices, usage }),
    }
  }
  const chunk = (choices: object[], more = {}) =>
    `data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', choices, ...more })}\n\n`
  const deltas = delta ? [delta] : says.map((content) => ({ content }))
  const texts = deltas.map((delta) => chunk([{ index: 0, delta, finish_reason: null }]))
  const end = [chunk([{ index: 0, delta: {}, finish_reason }]), chunk([], { usage }), 'data: [DONE]\n\n']
  return { status: 200, type: 'text/event-stream', body: [...texts, ...end].join('') }
}

/** Once, unless the choice is none: who has the result says what there is to say. */
function toolCalls({ messages, tool_choice: choice, tools = [] }: Received['body']) {
  if (messages.at(-1).role === 'tool' && calls.at(-1) !== 'again') return []
  const toolNames = tools.map((tool: { function: { name: string } }) => tool.function.name)
  return calls
    .filter((name) => toolNames.includes(name) && choice !== 'none')
    .map((name, index) => ({ index, id: `call_${index}`, type: 'function', function: { name, arguments: '{}' } }))
}

const chat = (more: object) =>
  service.ask('POST', '/chat/completions', { body: { model: 'a/large', messages: [user('Hi')], ...more } })
const respond = (more: object) =>
  service.ask('POST', '/responses', { body: { model: 'a/large', input: 'Hi', ...more } })
const sendMessage = (more: object) =>
  service.ask('POST', '/messages', { body: { model: 'a/large', max_tokens: 9, messages: [user('Hi')], ...more } })
const sent = () => upstream.requests.at(-1)!.body

describe('response-healing', () => {
  const text = { text: { format: { type: 'json_schema', name: 'x', schema } } }
  test('repairs broken JSON by the schema, whole and streamed, in both protocols', async () => {
    says = ['Here: {"a": "1"', ',}']
    const whole = await chat({ ...json, ...healing })
    assert.equal(whole.body.choices[0].message.content, '{"a":1}')
    assert.equal(whole.body.usage.completion_tokens, 5)
    const streamed = await chat({ ...json, ...healing, stream: true })
    const contents = [...streamed.text.matchAll(/"content":("(?:[^"\\]|\\.)*")/g)].map(([, one]) => JSON.parse(one!))
    assert.deepEqual(contents.filter(Boolean), ['{"a":1}'])
    assert.match(streamed.text, /"finish_reason":"stop"[\s\S]*\[DONE\]/)
    const response = await respond({ ...text, ...healing })
    assert.equal(response.body.output[0].content[0].text, '{"a":1}')
    assert.match((await respond({ ...text, ...healing, stream: true })).text, /"delta":"\{\\"a\\":1\}"/)
    assert.equal('plugins' in sent(), false)
  })

  test('leaves valid JSON and requests without JSON unchanged', async () => {
    says = ['{ "a": 1 }']
    assert.equal((await chat({ ...json, ...healing })).body.choices[0].message.content, '{ "a": 1 }')
    says = ['{"a": 1,}']
    assert.equal((await chat(healing)).body.choices[0].message.content, '{"a": 1,}')
    assert.equal(
      (await chat({ ...json, plugins: [{ id: 'response-healing', enabled: false }] })).body.choices[0].message.content,
      '{"a": 1,}',
    )
    assert.equal((await chat(json)).body.choices[0].message.content, '{"a": 1,}')
  })

  test('mends one response, not several', async () => {
    const { status, body } = await chat({ ...json, ...healing, n: 2 })
    assert.deepEqual([status, /response-healing/.test(body.error.message)], [400, true])
  })
})

describe('the tool openrouter:datetime', () => {
  const tools = [{ type: 'openrouter:datetime', parameters: { timezone: 'Asia/Kathmandu' } }]
  const own = { type: 'function', function: { name: 'f', parameters: { type: 'object' } } }
  const result = () => JSON.parse(sent().messages.at(-1).content)
  before(() => {
    calls = ['openrouter_datetime']
    says = ['It is late.']
  })
  after(() => {
    calls = []
  })

  test('returns the time to the model, and only the model’s response to the client', async () => {
    const { status, body } = await chat({ tools, tool_choice: 'required' })
    assert.deepEqual([status, body.choices[0].message.content], [200, 'Let me see. It is late.'])
    assert.deepEqual([body.choices[0].finish_reason, body.choices[0].message.tool_calls], ['stop', undefined])
    assert.deepEqual([body.usage.prompt_tokens, body.usage.completion_tokens, body.usage.cost], [20, 10, 0.00004])
    const { datetime, timezone } = result()
    assert.match(datetime, /^\d{4}-\d\d-\d\dT[\d:.]+\+05:45$/)
    assert.ok(Math.abs(Date.parse(datetime) - Date.now()) < 600_000)
    assert.deepEqual([timezone, sent().tool_choice], ['Asia/Kathmandu', 'auto'])
  })

  test('does so in streams, with one end, and in every protocol', async () => {
    const { text } = await chat({ tools, stream: true, stream_options: { include_usage: true } })
    assert.equal(text.match(/\[DONE\]/g)?.length, 1)
    assert.equal(text.match(/"finish_reason":"/g)?.length, 1)
    assert.match(text, /Let me see\. [\s\S]*It is late\.[\s\S]*"finish_reason":"stop"[\s\S]*"prompt_tokens":20/)
    assert.doesNotMatch(text, /tool_calls|openrouter_datetime/)
    const response = await respond({ tools })
    assert.equal(response.body.output[0].content[0].text, 'Let me see. It is late.')
    assert.match((await respond({ tools, stream: true })).text, /response\.completed[\s\S]*Let me see\. It is late\./)
    const message = await sendMessage({ tools })
    assert.deepEqual([message.status, message.body.content[0].text], [200, 'Let me see. It is late.'])
    assert.equal((await sendMessage({ tools, stream: true })).text.match(/event: message_stop/g)?.length, 1)
  })

  test('leaves the client’s own calls to the client, without gaps', async () => {
    calls = ['openrouter_datetime', 'f']
    const { body } = await chat({ tools: [...tools, own] })
    assert.equal(body.choices[0].finish_reason, 'tool_calls')
    assert.deepEqual(
      body.choices[0].message.tool_calls.map((call: any) => call.function.name),
      ['f'],
    )
    const { text } = await chat({ tools: [...tools, own], stream: true })
    assert.match(text, /"tool_calls":\[\{"index":0,"id":"call_1"/)
    calls = ['openrouter_datetime']
  })

  test('stops a model that repeats its calls, and meters each round', async () => {
    calls = ['openrouter_datetime', 'again']
    const from = upstream.requests.length
    const { status, body } = await chat({ tools })
    assert.deepEqual([status, upstream.requests.length - from, body.usage.prompt_tokens], [200, 4, 40])
    calls = ['openrouter_datetime']
  })

  test('is refused for an unknown time zone', async () => {
    const { status, body } = await chat({ tools: [{ ...tools[0], parameters: { timezone: 'Mars/Base' } }] })
    assert.deepEqual([status, /tools\[0\]\.parameters\.timezone/.test(body.error.message)], [400, true])
  })
})

describe('a prompt that does not fit', () => {
  const long = (word: string) => `${word} ${'words '.repeat(300)}${word}`
  const messages = [
    { role: 'system', content: 'Be brief.' },
    user('first'),
    { role: 'assistant', content: long('old') },
    user(long('middle')),
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'c', content: long('result') },
    user('last'),
  ]
  const small = { model: 'a/small', messages, max_tokens: 100 }

  test('is cut in the middle on request, whole turns first', async () => {
    says = ['Yes.']
    for (const wish of [
      { transforms: ['middle-out'] },
      { plugins: [{ id: 'context-compression' }] },
      { plugins: [{ id: 'context-compression', engine: 'middle-out' }] },
    ]) {
      assert.equal((await chat({ ...small, ...wish })).status, 200)
      const result = sent().messages.map(({ role, content }: { role: string; content: string }) => [
        role,
        content.slice(0, 5),
      ])
      assert.deepEqual(result, [
        ['system', 'Be br'],
        ['user', 'first'],
        ['assistant', 'old w'],
        ['user', 'last'],
      ])
      assert.equal('transforms' in sent(), false)
    }
  })

  test('is cut within its texts where turns are not enough, also for truncation: auto', async () => {
    const { status } = await respond({ model: 'a/small', input: long('one'.repeat(2000)), truncation: 'auto' })
    assert.equal(status, 200)
    const { content } = sent().messages[0]
    assert.match(content, /^one.*\n…\n.*one$/s)
    assert.ok(content.length < 4_000 && content.length > 2_000, `${content.length}`)
    assert.equal(
      (await chat({ ...small, messages: [user(long('x'.repeat(9000)))], transforms: ['middle-out'] })).status,
      200,
    )
  })

  test('is cut in rounds with the clock, in every protocol', async () => {
    says = ['Yes.']
    const tools = [{ type: 'openrouter:datetime' }]
    const input = long('one'.repeat(2000))
    assert.equal((await respond({ model: 'a/small', input, truncation: 'auto', tools })).status, 200)
    assert.match(sent().messages[0].content, /^one.*\n…\n.*one$/s)
    assert.equal((await chat({ ...small, transforms: ['middle-out'], tools })).status, 200)
    assert.equal(sent().messages.length, 4)
  })

  test('has its files in the form of chats after a cut, and with the clock', async () => {
    says = ['Yes.']
    const file = { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' } }
    const content = [{ type: 'input_text', text: long('one'.repeat(2000)) }, file]
    const requests = [{ model: 'a/medium', truncation: 'auto' }, { tools: [{ type: 'openrouter:datetime' }] }]
    for (const request of requests) {
      const { status, text } = await respond({ ...request, input: [{ role: 'user', content }] })
      assert.equal(status, 200, text)
      assert.equal(sent().messages[0].content.at(-1).file.file_data, 'data:application/pdf;base64,JVBERi0=')
    }
  })

  test('is left as it is where it fits, or the request does not say so', async () => {
    await chat({ messages, transforms: ['middle-out'] })
    assert.deepEqual(sent().messages, messages)
    await chat({ ...small, models: ['a/large'], transforms: ['middle-out'] })
    assert.deepEqual(sent().messages, messages)
    await chat(small)
    assert.deepEqual(sent().messages, messages)
    const { status, body } = await chat({ ...small, messages: [user('x'.repeat(9000))] })
    assert.deepEqual([status, body.error.metadata.excluded[0].reason], [400, 'context_too_small'])
  })

  test('is cut if a preset says so', async () => {
    await service.manage('POST', '/presets/fitting/responses', { model: 'a/small', truncation: 'auto' })
    assert.equal((await chat({ ...small, model: '@preset/fitting' })).status, 200)
    assert.equal(sent().messages.length, 4)
  })
})

describe('unsupported features', () => {
  const tool = (type: string) => ({ tools: [{ type }] })
  const requests: [object, RegExp][] = [
    [{ plugins: [{ id: 'web' }] }, /plugins\[0\]: this service does not support the plugin "web"/],
    [{ plugins: [{ id: 'response-healing' }, { id: 'file-parser', pdf: {} }] }, /plugins\[1\]: .* "file-parser"/],
    [{ plugins: [{ id: 'context-compression', engine: 'other' }] }, /plugins\[0\]\.engine: .* "other"/],
    [{ transforms: ['middle-out', 'rhyme'] }, /transforms\[1\]: this service does not support the transform "rhyme"/],
    [
      tool('openrouter:web_search'),
      /tools\[0\]: this service does not support the server tool "openrouter:web_search"/,
    ],
    [tool('openrouter:image_generation'), /tools\[0\]: .* "openrouter:image_generation"/],
  ]
  test('is refused by its name, in every protocol', async () => {
    for (const [wish, message] of requests)
      for (const { status, body } of [await chat(wish), await respond(wish), await sendMessage(wish)]) {
        assert.equal(status, 400)
        assert.match(body.error.message, message)
      }
  })

  test('passes without a requested plugin', async () => {
    says = ['Yes.']
    for (const wish of [{ plugins: [], transforms: [], tools: [] }, { plugins: [{ id: 'web', enabled: false }] }]) {
      assert.equal((await chat(wish)).status, 200)
      assert.equal((await respond(wish)).status, 200)
      assert.equal((await sendMessage(wish)).status, 200)
    }
    assert.equal((await chat({ plugins: null, transforms: null })).status, 200)
  })

  test('is stored by presets unchanged, and refused with the same message', async () => {
    const plugins = [{ id: 'web', max_results: 3 }]
    const created = await service.manage('POST', '/presets/searching/responses', { model: 'a/large', plugins })
    assert.deepEqual(created.body.data.designated_version.config.plugins, plugins)
    const direct = await chat({ plugins })
    const through = await chat({ model: '@preset/searching' })
    assert.deepEqual([through.status, through.body], [400, direct.body])
    assert.equal((await chat({ model: '@preset/searching', plugins: [] })).status, 200)
  })
})
