import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ChatPresetBody, settingsFromChat } from './from-chat.ts'

const settings = (body: object) => settingsFromChat(ChatPresetBody.parse(body))
const config = (body: object) => settings(body).config

test('the leading system and developer messages are the system prompt', () => {
  const messages = [
    { role: 'system', content: 'Be brief.' },
    {
      role: 'developer',
      content: [
        { type: 'text', text: 'Be ' },
        { type: 'text', text: 'kind.' },
      ],
    },
    { role: 'user', content: 'Hi' },
    { role: 'system', content: 'Said later.' },
  ]
  assert.equal(settings({ messages }).systemPrompt, 'Be brief.\n\nBe kind.')
  assert.equal(settings({ messages: messages.slice(0, 1) }).systemPrompt, 'Be brief.')
  assert.equal(settings({ messages: messages.slice(2) }).systemPrompt, null)
  assert.equal(settings({}).systemPrompt, null)
})

/** A field of a chat body, and its form in a preset. */
const table: [said: string, body: object, expected: object][] = [
  ['max_tokens', { max_tokens: 5 }, { max_output_tokens: 5 }],
  ['max_completion_tokens before max_tokens', { max_completion_tokens: 6, max_tokens: 5 }, { max_output_tokens: 6 }],
  ['reasoning_effort', { reasoning_effort: 'low' }, { reasoning: { effort: 'low' } }],
  [
    'reasoning before reasoning_effort',
    { reasoning: { effort: 'high', max_tokens: 9 }, reasoning_effort: 'low' },
    { reasoning: { effort: 'high', max_tokens: 9 } },
  ],
  ['verbosity', { verbosity: 'low' }, { text: { verbosity: 'low' } }],
  ['a JSON object', { response_format: { type: 'json_object' } }, { text: { format: { type: 'json_object' } } }],
  [
    'a JSON schema',
    { response_format: { type: 'json_schema', json_schema: { name: 'n', schema: { type: 'object' }, strict: true } } },
    { text: { format: { type: 'json_schema', name: 'n', schema: { type: 'object' }, strict: true } } },
  ],
  [
    'a function',
    { tools: [{ type: 'function', function: { name: 'f', description: 'd', parameters: {} }, cache_control: {} }] },
    { tools: [{ type: 'function', cache_control: {}, name: 'f', description: 'd', parameters: {} }] },
  ],
  ['another tool', { tools: [{ type: 'web_search' }] }, { tools: [{ type: 'web_search' }] }],
  ['a tool choice', { tool_choice: 'required' }, { tool_choice: 'required' }],
  [
    'the choice of one function',
    { tool_choice: { type: 'function', function: { name: 'f' } } },
    { tool_choice: { type: 'function', name: 'f' } },
  ],
  [
    'sampling only chat bodies have',
    { stop: ['END'], seed: 7, min_p: 0.1, top_a: 0.2, repetition_penalty: 1.1, logit_bias: { 1: 2 }, logprobs: true },
    { stop: ['END'], seed: 7, min_p: 0.1, top_a: 0.2, repetition_penalty: 1.1, logit_bias: { 1: 2 }, logprobs: true },
  ],
  [
    'fields of the same name and meaning',
    { model: 'a/b', temperature: 0, provider: { zdr: true }, service_tier: 'flex' },
    { model: 'a/b', temperature: 0, provider: { zdr: true }, service_tier: 'flex' },
  ],
  ['the documented default', { service_tier: 'auto' }, {}],
  ['null', { temperature: null, tools: null, stop: null, response_format: null, reasoning: null }, {}],
  [
    'what belongs to one call',
    { stream: true, stream_options: {}, usage: {}, user: 'u', session_id: 's', metadata: {}, trace: {}, n: 1, foo: 1 },
    {},
  ],
]
for (const [name, body, expected] of table) {
  test(`from a chat body: ${name}`, () => assert.deepEqual(config(body), expected))
}
