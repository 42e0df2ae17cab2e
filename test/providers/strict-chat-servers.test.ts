import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type RecordedProviders, startWithUpstream } from '#test/harness/upstream/recorded-providers.ts'
import { strictChatServers, strictServerResponse } from '#test/harness/upstream/strict-chat-servers.ts'
import { agentRequests } from '../recordings/agents/agent-requests.ts'

type Row = { it: string; body: object; dropped?: string; only?: string; sent?: (body: any) => void }

const user = (content: unknown = 'Hi') => ({ role: 'user', content })
const response = (more: object = {}) => ({ role: 'assistant', content: 'Yes', ...more })
const call = (args: unknown = '{}', id = 'call_a') => ({
  id,
  type: 'function',
  function: { name: 'f', arguments: args },
})
const calling = (...calls: object[]) => response({ content: null, tool_calls: calls })
const result = (id = 'call_a') => ({ role: 'tool', tool_call_id: id, content: 'ok' })
const messages = (...list: object[]) => ({ messages: list })
const tools = (property: object) => ({
  tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object', properties: { a: property } } } }],
})
const lastAssistantMessage = (body: any) => body.messages.findLast(({ role }: any) => role === 'assistant')

const rows: Row[] = [
  {
    it: 'answers with the fields that clients send back',
    body: messages(user(), response({ refusal: null, annotations: [], audio: null, function_call: null }), user()),
  },
  {
    it: 'a response that was a refusal',
    body: messages(user(), response({ content: null, refusal: 'No.' }), user()),
    sent: (body) => assert.equal(lastAssistantMessage(body).content, 'No.'),
  },
  {
    it: 'a response with images and citations',
    body: messages(
      user(),
      response({ images: [{ type: 'image_url' }], annotations: [{ type: 'url_citation' }] }),
      user(),
    ),
    dropped: 'messages.images',
  },
  { it: 'a response with an empty list of calls', body: messages(user(), response({ tool_calls: [] }), user()) },
  { it: 'a response with null for calls', body: messages(user(), response({ tool_calls: null }), user()) },
  { it: 'a response without content', body: messages(user(), { role: 'assistant', content: null }, user()) },
  {
    it: 'a response in two messages',
    body: messages(user(), response(), calling(call()), result(), user()),
  },
  {
    it: 'calls of one turn in two messages',
    body: messages(user(), calling(call()), calling(call('{}', 'call_b')), result(), result('call_b')),
    only: 'vllm',
    sent: (body) => assert.equal(body.messages[1].tool_calls.length, 2),
  },
  { it: 'a call with empty arguments', body: messages(user(), calling(call('')), result()) },
  { it: 'a call with arguments that were cut off', body: messages(user(), calling(call('{"a":')), result()) },
  { it: 'a call with a list for arguments', body: messages(user(), calling(call('[1]')), result()) },
  {
    it: 'a call without a type',
    body: messages(user(), calling({ id: 'call_a', function: { name: 'f', arguments: '{}' } }), result()),
  },
  { it: 'a user message after a tool result', body: messages(user(), calling(call()), result(), user()) },
  {
    it: 'a system message after a response',
    body: messages(user(), response(), { role: 'system', content: 'Be brief.' }, user()),
  },
  {
    it: 'a start of the response',
    body: messages(user(), response({ content: 'Sure:' })),
    sent: (body) => assert.equal(lastAssistantMessage(body).content, 'Sure:'),
  },
  { it: 'an empty list of tools', body: { tools: [], tool_choice: 'auto', parallel_tool_calls: true } },
  { it: 'a choice of tools without tools', body: { tool_choice: 'none' } },
  { it: 'an empty list of stop sequences', body: { stop: [] } },
  {
    it: 'a pattern that is found anywhere',
    body: tools({ type: 'string', pattern: '[a-z]+' }),
    sent: (body) => assert.match(JSON.stringify(body), /\[a-z\]\+/),
  },
  { it: 'a pattern with a class', body: tools({ type: 'string', pattern: '^\\d{4}-\\d{2}$' }) },
  { it: 'a bound of 65536 characters', body: tools({ type: 'string', maxLength: 65_536 }) },
  {
    it: 'a simple pattern',
    body: tools({ type: 'string', pattern: '^[a-z]{2,4}$' }),
    sent: (body) => assert.equal(body.tools[0].function.parameters.properties.a.pattern, '^[a-z]{2,4}$'),
  },
  { it: 'a seed', only: 'mistral', body: { seed: 7 }, sent: (body) => assert.equal(body.random_seed, 7) },
  { it: 'fields of OpenAI', only: 'mistral', body: { user: 'u', logprobs: true, store: false }, dropped: 'user' },
  { it: 'the name of a user', body: messages({ ...user(), name: 'ada' }), only: 'mistral' },
  { it: 'penalties of zero', body: { presence_penalty: 0, frequency_penalty: 0 } },
  { it: 'a penalty', only: 'xai', body: { presence_penalty: 0.5 }, dropped: 'presence_penalty' },
  { it: 'the bias of a token', only: 'groq', body: { logit_bias: { 50256: -100 } }, dropped: 'logit_bias' },
]

describe('strict chat servers', () => {
  let strict: RecordedProviders
  before(async () => {
    strict = await startWithUpstream(strictServerResponse, ['coder'], { chatServers: strictChatServers })
  })
  after(() => strict[Symbol.asyncDispose]())

  for (const { it, body, dropped, only, sent } of rows)
    test(`accept ${it}`, async () => {
      for (const server of only ? [only] : strictChatServers) {
        const request = { model: `${server}/coder`, messages: [user()], ...body }
        const { status, text, headers } = await strict.service.ask('POST', '/chat/completions', { body: request })
        assert.equal(status, 200, `${server}: ${text}`)
        const names = headers.get('x-fields-left-out')
        if (dropped) assert.ok(names?.includes(dropped), `${server}: ${names}`)
        sent?.(strict.upstream.requests.at(-1)!.body)
      }
    })

  for (const { agent, requests } of agentRequests)
    test(`accept the recorded requests of ${agent}`, async () => {
      for (const server of strictChatServers)
        for (const { path, headers, body } of requests) {
          const sent = { ...body, model: `${server}/coder` }
          const { status, text } = await strict.service.ask('POST', path.replace('/v1', ''), { headers, body: sent })
          assert.equal(status, 200, `${server}: ${text}`)
          assert.doesNotMatch(text, /"error":\s*[{"]/)
        }
    })
})
