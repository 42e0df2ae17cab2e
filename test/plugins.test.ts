import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type Received, type ScriptedUpstream, startScriptedUpstream } from './harness/scripted-upstream.ts'
import { startTestService, type TestService } from './harness/service.ts'

const schema = { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] }
const json = { response_format: { type: 'json_schema', json_schema: { name: 'x', schema } } }
const healing = { plugins: [{ id: 'response-healing' }] }
const user = (content: string) => ({ role: 'user', content })

/** What the provider says next, in pieces. */
let says = ['']
let upstream: ScriptedUpstream
let service: TestService
let folder: string

before(async () => {
  upstream = await startScriptedUpstream(answer)
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
  const models = { 'a/large': model(100_000), 'a/small': model(1_000) }
  writeFileSync(catalogue_file, JSON.stringify({ providers: { p: provider }, models }))
  const settings = { catalogue_file, starter_catalogue: 'false' as never }
  service = await startTestService({ settings, variables: { TEST_KEY: 'upstream-secret' } })
})
after(async () => {
  await service[Symbol.asyncDispose]()
  await upstream[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true })
})

function answer({ body }: Received) {
  const usage = { prompt_tokens: 10, completion_tokens: 5 }
  const head = { id: 'chatcmpl-1', created: 1, model: 'm' }
  if (!body.stream) {
    const choices = [{ index: 0, message: { role: 'assistant', content: says.join('') }, finish_reason: 'stop' }]
    return {
      status: 200,
      type: 'application/json',
      body: JSON.stringify({ ...head, object: 'chat.completion', choices, usage }),
    }
  }
  const chunk = (choices: object[], more = {}) =>
    `data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', choices, ...more })}\n\n`
  const said = says.map((content) => chunk([{ index: 0, delta: { content }, finish_reason: null }]))
  const end = [chunk([{ index: 0, delta: {}, finish_reason: 'stop' }]), chunk([], { usage }), 'data: [DONE]\n\n']
  return { status: 200, type: 'text/event-stream', body: [...said, ...end].join('') }
}

const chat = (more: object) =>
  service.ask('POST', '/chat/completions', { body: { model: 'a/large', messages: [user('Hi')], ...more } })
const respond = (more: object) =>
  service.ask('POST', '/responses', { body: { model: 'a/large', input: 'Hi', ...more } })
const tell = (more: object) =>
  service.ask('POST', '/messages', { body: { model: 'a/large', max_tokens: 9, messages: [user('Hi')], ...more } })
const sent = () => upstream.requests.at(-1)!.body

describe('response-healing', () => {
  const text = { text: { format: { type: 'json_schema', name: 'x', schema } } }
  test('mends broken JSON by the schema, in whole answers and in streams, in both protocols', async () => {
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

  test('leaves alone what is right, what asked for no JSON, and what did not ask', async () => {
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

  test('mends one answer, not several', async () => {
    const { status, body } = await chat({ ...json, ...healing, n: 2 })
    assert.deepEqual([status, /response-healing/.test(body.error.message)], [400, true])
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

  test('is cut in its middle where the request says so, whole turns first', async () => {
    says = ['Yes.']
    for (const wish of [
      { transforms: ['middle-out'] },
      { plugins: [{ id: 'context-compression' }] },
      { plugins: [{ id: 'context-compression', engine: 'middle-out' }] },
    ]) {
      assert.equal((await chat({ ...small, ...wish })).status, 200)
      const said = sent().messages.map(({ role, content }: { role: string; content: string }) => [
        role,
        content.slice(0, 5),
      ])
      assert.deepEqual(said, [
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

  test('is left as it is where it fits, or the request does not say so', async () => {
    await chat({ messages, transforms: ['middle-out'] })
    assert.deepEqual(sent().messages, messages)
    await chat({ ...small, models: ['a/large'], transforms: ['middle-out'] })
    assert.deepEqual(sent().messages, messages)
    await chat(small)
    assert.deepEqual(sent().messages, messages)
    const { status, body } = await chat({ ...small, messages: [user('x'.repeat(9000))] })
    assert.deepEqual([status, body.error.metadata.excluded[0].reason], [404, 'context_too_small'])
  })

  test('is cut for a preset that says so', async () => {
    await service.manage('POST', '/presets/fitting/responses', { model: 'a/small', truncation: 'auto' })
    assert.equal((await chat({ ...small, model: '@preset/fitting' })).status, 200)
    assert.equal(sent().messages.length, 4)
  })
})

describe('what this service does not do', () => {
  const tool = (type: string) => ({ tools: [{ type }] })
  const asked: [object, RegExp][] = [
    [{ plugins: [{ id: 'web' }] }, /plugins\[0\]: this service has no plugin "web"/],
    [{ plugins: [{ id: 'response-healing' }, { id: 'file-parser', pdf: {} }] }, /plugins\[1\]: .* "file-parser"/],
    [{ plugins: [{ id: 'context-compression', engine: 'other' }] }, /plugins\[0\]\.engine: .* "other"/],
    [{ transforms: ['middle-out', 'rhyme'] }, /transforms\[1\]: this service has no transform "rhyme"/],
    [tool('openrouter:web_search'), /tools\[0\]: this service has no server tool "openrouter:web_search"/],
    [tool('openrouter:image_generation'), /tools\[0\]: .* "openrouter:image_generation"/],
  ]
  test('is refused by its name, in every protocol', async () => {
    for (const [wish, message] of asked)
      for (const { status, body } of [await chat(wish), await respond(wish), await tell(wish)]) {
        assert.equal(status, 400)
        assert.match(body.error.message, message)
      }
  })

  test('passes where nothing is asked for', async () => {
    says = ['Yes.']
    for (const wish of [{ plugins: [], transforms: [], tools: [] }, { plugins: [{ id: 'web', enabled: false }] }]) {
      assert.equal((await chat(wish)).status, 200)
      assert.equal((await respond(wish)).status, 200)
      assert.equal((await tell(wish)).status, 200)
    }
    assert.equal((await chat({ plugins: null, transforms: null })).status, 200)
  })

  test('is kept by presets to the letter, and refused in the same words through one', async () => {
    const plugins = [{ id: 'web', max_results: 3 }]
    const made = await service.manage('POST', '/presets/searching/responses', { model: 'a/large', plugins })
    assert.deepEqual(made.body.data.designated_version.config.plugins, plugins)
    const direct = await chat({ plugins })
    const through = await chat({ model: '@preset/searching' })
    assert.deepEqual([through.status, through.body], [400, direct.body])
    assert.equal((await chat({ model: '@preset/searching', plugins: [] })).status, 200)
  })
})
