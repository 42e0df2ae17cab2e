import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { startTestService, type TestService } from '../harness/service/service.ts'
import { until } from '../harness/until.ts'
import { type Received, type ScriptedUpstream, startScriptedUpstream } from '../harness/upstream/scripted-upstream.ts'
import { encodeResponse } from '../harness/upstream/upstream-responses.ts'

const lists: Record<string, { id: string; owned_by?: string }[]> = {
  ollama: [{ id: 'small:latest' }, { id: 'shared' }],
  vllm: [{ id: 'shared' }, { id: 'plain' }],
  llama: [{ id: 'gguf', owned_by: 'llamacpp' }],
  mlx: [{ id: 'streamed' }],
}

function respond(received: Received) {
  const { path, body } = received
  const json = (status: number, value: object) => ({ status, type: 'application/json', body: JSON.stringify(value) })
  if (path.endsWith('/models')) return json(200, { object: 'list', data: lists[path.split('/')[1]!] })
  const [{ content }] = body.messages
  if (content === 'text') return json(400, { detail: 'No such adapter.' })
  if (content === 'list')
    return json(422, { detail: [{ loc: ['body', 'top_k'], msg: 'Input should be a number' }, { msg: 'Go away' }] })
  return encodeResponse(
    'openai-chat',
    body.tools ? { calls: [{ name: 'f', input: {} }] } : { text: 'Hi' },
    body.stream === true,
  )
}

describe('a local server', () => {
  let upstream: ScriptedUpstream
  let service: TestService
  const folder = mkdtempSync(join(tmpdir(), 'signalbox-local-servers-'))
  before(async () => {
    upstream = await startScriptedUpstream(respond)
    const catalogue_file = join(folder, 'catalogue.json')
    const provider = (slug: string, more = {}) => {
      const base_url = `${upstream.url}/${slug}/v1`
      const prices = { prompt: 0, completion: 0 }
      return [slug, { name: slug, protocol: 'openai-chat', base_url, discover: true, prices, ...more }]
    }
    const streamed = { compatibility: { whole_answers: false } }
    const providers = [provider('ollama'), provider('vllm'), provider('llama'), provider('mlx', streamed)]
    writeFileSync(catalogue_file, JSON.stringify({ providers: Object.fromEntries(providers) }))
    service = await startTestService({ settings: { catalogue_file, starter_catalogue: 'false' as never } })
    // The service starts although a server has not listed its models yet.
    const listed = Object.entries(lists).flatMap(([provider, models]) => models.map(({ id }) => `${provider}/${id}`))
    await until(async () => {
      const { data } = (await service.ask('GET', '/models')).body
      return listed.every((id) => data.some((model: { id: string }) => model.id === id))
    })
  })
  after(async () => {
    await service[Symbol.asyncDispose]()
    await upstream[Symbol.asyncDispose]()
    rmSync(folder, { recursive: true })
  })

  const ask = (model: string, more: object = {}, path = '/chat/completions') =>
    service.ask('POST', path, { body: { model, messages: [{ role: 'user', content: 'Hi' }], ...more } })
  const user = (content: string) => ({ messages: [{ role: 'user', content }] })

  test('is found without the tag latest', async () => {
    for (const model of ['ollama/small', 'small', 'ollama/small:latest', 'small:latest']) {
      const { status, body } = await ask(model)
      assert.deepEqual([status, body.model], [200, 'ollama/small:latest'], model)
    }
  })

  test('is named with the others where several have a model of the name', async () => {
    const { status, body } = await ask('shared')
    assert.equal(status, 404)
    assert.match(
      body.error.message,
      /"shared" is ambiguous: 2 models have it\. Name one of "ollama\/shared", "vllm\/shared"/,
    )
    assert.equal((await ask('vllm/shared')).status, 200)
    assert.equal((await ask('plain')).status, 200)
  })

  test('refuses in the words of its detail', async () => {
    const text = await ask('plain', user('text'))
    assert.deepEqual([text.status, text.body.error.message], [400, 'No such adapter.'])
    const list = await ask('plain', user('list'))
    assert.deepEqual([list.status, list.body.error.message], [400, 'top_k: Input should be a number. Go away'])
  })

  test('that ignores the name of a tool is offered that tool alone', async () => {
    const tools = ['f', 'g'].map((name) => ({
      type: 'function',
      function: { name, parameters: { type: 'object', properties: {} } },
    }))
    const tool_choice = { type: 'function', function: { name: 'g' } }
    await ask('gguf', { tools, tool_choice })
    const sent = upstream.requests.at(-1)!.body
    assert.deepEqual([sent.tools, sent.tool_choice], [[tools[1]], 'required'])
    await ask('plain', { tools, tool_choice })
    assert.deepEqual(upstream.requests.at(-1)!.body.tool_choice, tool_choice)
  })

  test('that cancels only streams gets a streamed request for a whole response', async () => {
    const tools = [{ type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } }]
    const chat = await ask('streamed')
    assert.equal(upstream.requests.at(-1)!.body.stream, true)
    assert.deepEqual([chat.body.object, chat.body.choices[0].message.content], ['chat.completion', 'Hi'])
    assert.deepEqual([chat.body.usage.prompt_tokens, chat.body.usage.completion_tokens], [12, 7])
    const called = await ask('streamed', { tools })
    assert.deepEqual(called.body.choices[0].message.tool_calls[0].function, { name: 'f', arguments: '{}' })
    const message = await ask('streamed', { max_tokens: 5 }, '/messages')
    assert.equal(message.body.content[0].text, 'Hi')
  })
})
