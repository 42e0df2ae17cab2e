import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type RecordedProviders, startWithUpstream } from '#test/harness/upstream/recorded-providers.ts'
import { parseRequest } from '#test/harness/upstream/scripted-upstream.ts'
import { encodeResponse } from '#test/harness/upstream/upstream-responses.ts'
import { clientChats, clientMessages, clientResponses } from '../odd-requests/client-forms.ts'
import { limitChats, limitMessages, limitResponses } from '../odd-requests/field-limits.ts'
import { fileChats, fileMessages } from '../odd-requests/files.ts'
import { modelChats, modelMessages } from '../odd-requests/model-rules.ts'
import { oddChats, oddMessages, oddResponses } from '../odd-requests/requests.ts'
import { schemaChats } from '../odd-requests/schemas.ts'
import { doors } from '../tool-calls/clients.ts'

const chatServers = [
  'openai',
  'azure',
  'mistral',
  'groq',
  'moonshotai',
  'openrouter',
  'deepseek',
  'zai',
  'alibaba',
  'xai',
]
const models = [
  ...[
    'm',
    'gpt-4o',
    'gpt-5',
    'gpt-5-1',
    'o3',
    'gpt-oss-20b',
    'claude-opus-4-5',
    'claude-sonnet-4-6',
    'claude-opus-4-8',
  ],
  ...[
    'claude-sonnet-5',
    'claude-opus-5',
    'claude-haiku-5-5',
    'claude-opus-5-5',
    'claude-sonnet-5-5',
    'claude-fable-5-1',
  ],
  ...['gpt-5.4', 'gpt-5.6-terra', 'gemini-3-5-flash', 'gemini-3-7-flash'],
  ...['grok-4.5', 'grok-4.6', 'kimi-k2.6', 'kimi-k3', 'kimi-k2-0905-preview'],
  ...['gemini-2-5-flash', 'gemini-2-5-flash-lite', 'gemini-2-5-pro', 'gemini-3-pro', 'claude-3-7-sonnet'],
]

/** The field of a value at a path such as `messages.0.content`. */
function memberAt(value: unknown, path: string): unknown {
  return path === '' ? value : path.split('.').reduce<any>((inner, name) => inner?.[name], value)
}

describe('requests in forms that providers refuse or misread', () => {
  let recorded: RecordedProviders
  before(async () => {
    const content = { text: 'Hi', source: { url: 'https://example.com', title: '' } }
    recorded = await startWithUpstream(
      (received) => encodeResponse(parseRequest(received).protocol, content, false),
      models,
      {
        chatServers,
      },
    )
  })
  after(() => recorded[Symbol.asyncDispose]())

  test('a file for the container of Claude is refused for other models, with advice', async () => {
    const messages = [{ role: 'user', content: [{ type: 'container_upload', file_id: 'file_1' }] }]
    for (const [provider, status] of Object.entries({
      ...{ 'openai-chat': 400, 'openai-responses': 400, 'google-gemini': 400, 'anthropic-messages': 200 },
    })) {
      const request = { ...doors.messages.body, messages, model: `${provider}/m` }
      const { status: got, body } = await recorded.service.ask('POST', '/messages', { body: request })
      assert.equal(got, status)
      if (status === 400) assert.match(body.error.message, /container_upload block\. Send it as a document/)
    }
  })

  test('a function that the provider runs is refused where the request is translated', async () => {
    const tools = [{ type: 'builtin_function', function: { name: '$web_search' } }]
    for (const [provider, status] of Object.entries({
      moonshotai: 200,
      'anthropic-messages': 400,
      'google-gemini': 400,
    })) {
      const request = { ...doors.chat.body, tools, model: `${provider}/m` }
      const reply = await recorded.service.ask('POST', '/chat/completions', { body: request })
      assert.equal(reply.status, status, reply.text)
      if (status === 400) assert.match(reply.body.error.message, /does not support a provider tool/)
    }
  })

  const requestsOf = {
    chat: [...oddChats, ...clientChats, ...modelChats, ...limitChats, ...schemaChats, ...fileChats],
    responses: [...oddResponses, ...clientResponses, ...limitResponses],
    messages: [...oddMessages, ...clientMessages, ...modelMessages, ...limitMessages, ...fileMessages],
  }
  test('reasoning is counted with its budget, without an output limit', async () => {
    const thinking = { type: 'enabled', budget_tokens: 2000 }
    const body = { messages: [{ role: 'user', content: 'Hi' }], model: 'anthropic-messages/claude-opus-4-5', thinking }
    const before = recorded.upstream.requests.length
    await recorded.service.ask('POST', '/messages/count_tokens', { body })
    const { body: received } = recorded.upstream.requests[before]!
    assert.deepEqual([received.thinking, received.max_tokens], [thinking, undefined])
  })

  for (const [door, requests] of Object.entries(requestsOf))
    for (const { name, body, sent, dropped, refused = {} } of requests) {
      for (const [target, words] of Object.entries(refused))
        test(`${door} to ${target} is refused: ${name}`, async () => {
          const { path, body: usual } = doors[door as keyof typeof doors]
          const request = { ...usual, ...body, model: `${target}/m` }
          const reply = await recorded.service.ask('POST', path, { body: request })
          assert.equal(reply.status, 400, reply.text)
          assert.match(reply.body.error.message, words)
        })
      for (const [target, members] of Object.entries(sent))
        test(`${door} to ${target}: ${name}`, async () => {
          const [provider, model = 'm'] = target.split('/')
          const { path, body: usual } = doors[door as keyof typeof doors]
          const before = recorded.upstream.requests.length
          const request = { ...usual, ...body, model: `${provider}/${model}` }
          const reply = await recorded.service.ask('POST', path, { body: request })
          assert.equal(reply.status, 200, reply.text)
          const received = recorded.upstream.requests[before]!.body
          for (const [path, value] of Object.entries(members))
            assert.deepEqual(memberAt(received, path), value, `${path} of ${JSON.stringify(received)}`)
          const names = reply.headers.get('x-fields-left-out')?.split(', ') ?? []
          for (const field of dropped?.[target] ?? []) assert.ok(names.includes(field), `${field} among ${names}`)
        })
    }
})
