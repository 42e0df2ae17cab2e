import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endpointFor } from '#test/harness/upstream/endpoints/encode-request.ts'
import { isAcceptedInGrammar } from '../grammar-constraints.ts'
import { repairChat } from '../openai-chat-rules.ts'

const user = (content: string) => ({ role: 'user', content })
const response = (more: object) => ({ role: 'assistant', content: null, ...more })
const call = (given: unknown) => ({ id: 'abcdefghi', type: 'function', function: { name: 'f', arguments: given } })
const result = { role: 'tool', tool_call_id: 'abcdefghi', content: 'ok' }
const tools = [{ type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } }]

/** The body as a provider receives it. */
function sentTo(provider: string, body: Record<string, unknown>) {
  const before = JSON.stringify(body)
  const { body: sent, ...rest } = repairChat(body, endpointFor('m', { provider }))
  assert.equal(JSON.stringify(body), before, 'the original, which a fallback uses, does not change')
  return { ...rest, sent: sent as Record<string, any> }
}
const messagesFor = (provider: string, ...messages: object[]) => sentTo(provider, { messages }).sent.messages

test('an empty list of calls is removed for every provider', () => {
  for (const provider of ['openai', 'mistral', 'test']) {
    const [, sent] = messagesFor(provider, user('A'), response({ content: 'B', tool_calls: [] }), user('C'))
    assert.equal('tool_calls' in sent, false, provider)
  }
})

test('arguments other than a JSON object become an object', () => {
  for (const given of ['', 'null', '[1]', '{"a":', undefined, 7, { a: 1 }]) {
    const [, sent] = messagesFor('test', user('A'), response({ tool_calls: [call(given)] }), result, user('B'))
    const { arguments: text } = sent.tool_calls[0].function
    assert.equal(typeof JSON.parse(text), 'object', `${given}`)
    assert.equal(Array.isArray(JSON.parse(text)), false, `${given}`)
  }
})

test('arguments that are a JSON object keep their text', () => {
  const [, sent] = messagesFor('test', user('A'), response({ tool_calls: [call(' {"a": 1.0}')] }), result, user('B'))
  assert.equal(sent.tool_calls[0].function.arguments, ' {"a": 1.0}')
})

test('a refusal of an earlier response becomes its text, except for OpenAI', () => {
  const refused = response({ refusal: 'No.', annotations: [] })
  assert.deepEqual(messagesFor('test', user('A'), refused, user('B'))[1], { role: 'assistant', content: 'No.' })
  assert.equal(messagesFor('openai', user('A'), refused, user('B'))[1].refusal, 'No.')
})

test('consecutive responses become one with the texts and calls of all', () => {
  const messages = [
    user('A'),
    response({ content: 'B' }),
    response({ content: 'C', tool_calls: [call('{}')] }),
    result,
    user('D'),
  ]
  const sent = messagesFor('test', ...messages)
  assert.deepEqual(
    sent.map(({ role }: { role: string }) => role),
    ['user', 'assistant', 'tool', 'user'],
  )
  assert.deepEqual([sent[1].content, sent[1].tool_calls.length], ['B\n\nC', 1])
})

test('a response separates tool results from a user message for Mistral', () => {
  const messages = [user('A'), response({ tool_calls: [call('{}')] }), result, user('B')]
  const roles = (provider: string) => messagesFor(provider, ...messages).map(({ role }: { role: string }) => role)
  assert.deepEqual(roles('mistral'), ['user', 'assistant', 'tool', 'assistant', 'user'])
  assert.deepEqual(roles('openai'), ['user', 'assistant', 'tool', 'user'])
})

test('a last assistant message is marked as a prefix if the provider requires it', () => {
  const last = (provider: string) => messagesFor(provider, user('A'), response({ content: 'B' })).at(-1)
  assert.equal(last('mistral').prefix, true)
  assert.equal(last('moonshotai').partial, true)
  assert.deepEqual(last('openai'), { role: 'assistant', content: 'B' })
})

test('Mistral gets no field that it refuses, and its name of the seed', () => {
  const { sent, dropped } = sentTo('mistral', {
    messages: [user('A')],
    seed: 1,
    user: 'u',
    logprobs: true,
    top_k: null,
  })
  assert.deepEqual([sent.random_seed, 'seed' in sent, 'user' in sent, 'top_k' in sent], [1, false, false, false])
  assert.deepEqual(dropped, ['user', 'logprobs'])
})

test('options of tools are sent only with tools', () => {
  const options = { tool_choice: 'auto', parallel_tool_calls: true }
  const without = sentTo('test', { messages: [user('A')], tools: [], stop: [], ...options }).sent
  assert.deepEqual(Object.keys(without), ['messages'])
  assert.equal(sentTo('test', { messages: [user('A')], tools, ...options }).sent.tool_choice, 'auto')
})

test('a server with grammars gets only bounds that a grammar can have', () => {
  const rows: [keyword: string, value: unknown, isAccepted: boolean][] = [
    ['pattern', '^[a-z]+$', true],
    ['pattern', '^[^a]$', true],
    ['pattern', '[a-z]', false],
    ['pattern', '^\\d+$', false],
    ['pattern', '^(?=a)b$', false],
    ['pattern', '^a$|^b$', false],
    ['maxLength', 2000, true],
    ['maxLength', 100_000, false],
    ['maxItems', 5000, false],
    ['minimum', 5000, true],
  ]
  for (const [keyword, value, isAccepted] of rows)
    assert.equal(isAcceptedInGrammar(keyword, value), isAccepted, `${keyword} ${value}`)
})
