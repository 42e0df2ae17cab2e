import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type RecordedProviders, startWithRecordings } from '../harness/upstream/recorded-providers.ts'

const messages = [{ role: 'user', content: 'Hi' }]
const look = { name: 'look_up', parameters: { type: 'object', properties: {} } }

describe('where no data may be retained', () => {
  let recorded: RecordedProviders
  before(async () => {
    recorded = await startWithRecordings({ zdr: true })
    const { body } = await recorded.service.manage('GET', '/workspaces')
    const guardrail = `/guardrails/${body.data[0].default_guardrail_id}`
    await recorded.service.manage('PATCH', guardrail, { name: 'House', enforce_zdr: true })
  })
  after(() => recorded[Symbol.asyncDispose]())

  const chat = (more: object, model = 'openai-chat/text') =>
    recorded.service.ask('POST', '/chat/completions', { body: { model, messages, ...more } })
  const responses = (more: object, model = 'openai-responses/text') =>
    recorded.service.ask('POST', '/responses', { body: { model, input: 'Hi', ...more } })
  const sent = () => recorded.upstream.requests.at(-1)?.body
  const requests = () => recorded.upstream.requests.length

  test('storing is set off', async () => {
    assert.deepEqual([(await chat({ store: true })).status, sent().store], [200, false])
    assert.deepEqual([(await responses({ store: true })).status, sent().store], [200, false])
    assert.deepEqual([(await responses({})).status, sent().store], [200, false])
    assert.equal((await chat({ store: true }, 'openai-responses/text')).status, 200)
    assert.equal(sent().store, false)
  })

  test('fields that require storage are refused by name, and nothing is sent', async () => {
    const before = requests()
    const refused: [fields: object, named: RegExp][] = [
      [{ background: true }, /background: /],
      [{ conversation: 'conv_1' }, /conversation: /],
      [{ prompt_cache_retention: '24h' }, /prompt_cache_retention: /],
      [{ cached_content: 'cachedContents/1' }, /cached_content: /],
      [{ container: { skills: [] } }, /container: /],
      [{ mcp_servers: [{ type: 'url', url: 'https://mcp.test' }] }, /mcp_servers: /],
      [{ web_search_options: {} }, /web_search_options: /],
      [{ search_parameters: { mode: 'auto' } }, /search_parameters: /],
      [{ tools: [{ type: 'mcp', server_url: 'https://mcp.test' }] }, /tools\[0\] \("mcp"\): a remote MCP server/],
      [{ tools: [{ type: 'function', function: look }, { type: 'web_search_20260209' }] }, /tools\[1\] \("web_search/],
      [{ tools: [{ type: 'google_search', google_search: {} }] }, /tools\[0\] \("google_search"\): a provider tool/],
      [{ tools: [{ type: 'code_execution_20250825' }] }, /tools\[0\] \("code_execution/],
    ]
    for (const [fields, named] of refused) {
      const { status, body } = await chat(fields)
      assert.equal(status, 403, JSON.stringify(fields))
      assert.match(body.error.message, /^Refused by the guardrail "House" \(enforce_zdr_other\): /)
      assert.match(body.error.message, named)
      assert.equal(body.error.metadata.rule, 'enforce_zdr_other')
    }
    for (const type of ['mcp', 'web_search', 'file_search', 'code_interpreter', 'image_generation', 'shell'])
      assert.equal((await responses({ tools: [{ type }] })).status, 403, type)
    assert.equal((await responses({ prompt_cache_retention: '24h' })).status, 403)
    assert.equal(requests(), before)
  })

  test('a preset cannot enable storage', async () => {
    await recorded.service.manage('POST', '/presets/searching/responses', {
      model: 'openai-responses/text',
      tools: [{ type: 'function', ...look }],
    })
    assert.equal((await responses({ model: '@preset/searching', store: true })).status, 200)
    assert.equal(sent().store, false)
  })

  test('a request without storage keeps its fields, except those that are null', async () => {
    const tools = [{ type: 'function', function: look }]
    const stored = {
      tools,
      prompt_cache_retention: 'in_memory',
      prompt_cache_key: 'k',
      mcp_servers: [],
      background: false,
    }
    assert.equal((await chat({ ...stored, store: null })).status, 200)
    const { model: _model, messages: _messages, stream: _stream, ...rest } = sent()
    assert.deepEqual(rest, stored)
    assert.equal((await chat({ tools: [{ type: 'custom', custom: { name: 'x' } }] })).status, 200)
    assert.equal((await responses({ tools: [{ type: 'local_shell' }] })).status, 200)
  })

  test('only for the vendors it says', async () => {
    const { body } = await recorded.service.manage('GET', '/workspaces')
    const guardrail = `/guardrails/${body.data[0].default_guardrail_id}`
    await recorded.service.manage('PATCH', guardrail, { enforce_zdr: true, enforce_zdr_other: false })
    assert.deepEqual([(await chat({ store: true, mcp_servers: [{}] })).status, sent().store], [200, true])
  })
})
