import { createHash } from 'node:crypto'
import type { OddRequest } from './requests.ts'

const [chat, responses, anthropic, gemini] = ['openai-chat', 'openai-responses', 'anthropic-messages', 'google-gemini']
const user = (content: unknown) => ({ role: 'user', content })
const answer = (content: unknown) => ({ role: 'assistant', content })
const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more })
const text = { type: 'string' }
const parameters = object({ path: text })
const closed = (properties: object) => object(properties, { required: ['a'], additionalProperties: false })
const ids = { user: 'u'.repeat(65), safety_identifier: 's'.repeat(129), prompt_cache_key: 'k'.repeat(65) }
const hashes = Object.fromEntries(
  Object.entries(ids).map(([name, id]) => [name, createHash('sha256').update(id).digest('hex')]),
)
const format = (schema: object) => ({
  response_format: { type: 'json_schema', json_schema: { name: 'x', strict: true, schema } },
})
const inChat = 'response_format.json_schema'
const strictUnion = closed({ a: { anyOf: [text, { type: 'null' }] } })
const dictionary = closed({ a: { type: 'object', additionalProperties: text, propertyNames: text } })
const image = { type: 'image_url', image_url: { url: 'https://example.com/a.png' } }

const plain = { type: 'text', text: 'Hi' }
const marked = { ...plain, prompt_cache_breakpoint: { mode: 'explicit' } }
const asks = (content: unknown) => ({ messages: [user(content)] })

/** Limits of providers on fields, schemas and parts. */
export const limitChats: OddRequest[] = [
  ...[
    { max_tokens: null, max_completion_tokens: 20 },
    { max_tokens: 20, max_completion_tokens: null },
  ].map((body) => ({
    name: `the output limit ${JSON.stringify(body)}`,
    body,
    sent: {
      [chat!]: { max_tokens: 20 },
      'openai/gpt-5': { max_completion_tokens: 20 },
      [anthropic!]: { max_tokens: 20 },
    },
  })),
  {
    name: 'long ids of a user and a cache',
    body: ids,
    sent: { openai: hashes, azure: hashes, [responses!]: hashes, [chat!]: ids },
  },
  {
    name: 'a cache breakpoint of Anthropic for the whole request',
    body: { cache_control: { type: 'ephemeral' } },
    sent: { openai: { cache_control: undefined }, openrouter: { 'cache_control.type': 'ephemeral' } },
    dropped: { openai: ['cache_control'] },
  },
  {
    name: 'metadata that is not stored',
    body: { metadata: { a: 'b' } },
    sent: {
      openai: { metadata: undefined },
      [responses!]: { metadata: { a: 'b' } },
      [chat!]: { metadata: { a: 'b' } },
    },
    dropped: { openai: ['metadata'] },
  },
  {
    name: 'metadata that is stored',
    body: { metadata: { a: 'b' }, store: true },
    sent: { openai: { metadata: { a: 'b' } } },
  },
  {
    name: 'a verbosity for models that have only one',
    body: { verbosity: 'low' },
    sent: {
      'openai/gpt-4o': { verbosity: undefined },
      'openai-responses/gpt-4o': { text: undefined },
      'openai/gpt-5': { verbosity: 'low' },
      'openai-responses/gpt-5': { text: { verbosity: 'low' } },
      [chat!]: { verbosity: 'low' },
    },
    dropped: { 'openai/gpt-4o': ['verbosity'], 'openai-responses/gpt-4o': ['verbosity'] },
  },
  {
    name: 'the verbosity of all models',
    body: { verbosity: 'medium' },
    sent: { 'openai/gpt-4o': { verbosity: 'medium' } },
  },
  {
    name: 'a predicted response for a model that reasons',
    body: { prediction: { type: 'content', content: 'x' } },
    sent: { 'openai/gpt-5': { prediction: undefined }, 'openai/gpt-4o': { 'prediction.content': 'x' } },
    dropped: { 'openai/gpt-5': ['prediction'] },
  },
  {
    name: 'a union of one type in a strict format',
    body: format(closed({ a: { oneOf: [text, { type: 'null' }] } })),
    sent: {
      openai: { [`${inChat}.schema`]: strictUnion, [`${inChat}.strict`]: true },
      [responses!]: { 'text.format.schema': strictUnion, 'text.format.strict': true },
    },
  },
  {
    name: 'properties of any name in a strict format',
    body: format(dictionary),
    sent: { openai: { [`${inChat}.schema`]: dictionary, [`${inChat}.strict`]: false } },
    dropped: { openai: ['response_format.strict'] },
  },
  {
    name: 'a string format that OpenAI lacks in a strict format',
    body: format(closed({ a: { type: 'string', format: 'uri' } })),
    sent: {
      openai: {
        [`${inChat}.schema.properties.a`]: { type: 'string', description: '{format: "uri"}' },
        [`${inChat}.strict`]: true,
      },
    },
    dropped: { openai: ['response_format.format'] },
  },
  {
    name: 'properties of any name in a strict tool',
    body: { tools: [{ type: 'function', function: { name: 'read', strict: true, parameters: dictionary } }] },
    sent: {
      openai: { 'tools.0.function.strict': false, 'tools.0.function.parameters': dictionary },
      [anthropic!]: { 'tools.0.strict': undefined, 'tools.0.input_schema': dictionary },
    },
    dropped: { [anthropic!]: ['tools.read.strict'] },
  },
  {
    name: 'cache breakpoints of OpenAI',
    body: { ...asks([marked]), prompt_cache_options: { mode: 'explicit' } },
    sent: {
      openai: { 'messages.0.content.0': marked, 'prompt_cache_options.mode': 'explicit' },
      groq: { 'messages.0.content.0': plain },
      [responses!]: { 'input.0.content.0': { ...marked, type: 'input_text' }, 'prompt_cache_options.mode': 'explicit' },
      [anthropic!]: { 'messages.0.content.0': { ...plain, cache_control: { type: 'ephemeral' } } },
    },
    dropped: { [anthropic!]: ['prompt_cache_options'], groq: ['prompt_cache_options'] },
  },
  {
    name: 'a file in the storage of Google',
    body: asks([{ type: 'file', file: { file_id: 'gs://a/b.pdf' } }]),
    sent: { [gemini!]: { 'contents.0.parts.0.fileData': { mimeType: 'application/pdf', fileUri: 'gs://a/b.pdf' } } },
  },
  {
    name: 'an image in an earlier response',
    body: { messages: [user('Draw'), answer([{ type: 'text', text: 'Here' }, image]), user('Bluer')] },
    sent: {
      openai: { 'messages.1.content': [{ type: 'text', text: 'Here' }] },
      openrouter: { 'messages.1.content.1': image },
    },
    dropped: { openai: ['messages.image_url'] },
  },
  {
    name: 'a response at the start',
    body: { messages: [answer('Hello'), user('Hi')] },
    sent: { [gemini!]: { 'contents.0.parts.0.text': '.', 'contents.1.role': 'model' } },
  },
]

const summary = [{ type: 'summary_text', text: 'Hm' }]
const thought = { type: 'reasoning', id: 'rs_1', summary }
const go = { type: 'function', name: 'go', parameters }
const namespace = { type: 'namespace', name: 'ns', tools: [go] }
const choice = { type: 'function', name: 'go', namespace: 'ns' }

export const limitResponses: OddRequest[] = [
  ...[{}, { encrypted_content: null, content: null }, { content: [] }].map((members) => ({
    name: `a summary of reasoning with ${JSON.stringify(members)}`,
    body: { input: [user('Hi'), { ...thought, ...members }, answer('Yes'), user('?')] },
    sent: {
      'openai-responses/gpt-5': { 'input.length': 3, 'input.1.role': 'assistant' },
      [responses!]: { 'input.length': 4 },
    },
    dropped: { 'openai-responses/gpt-5': ['input.reasoning'] },
  })),
  ...[{ encrypted_content: 'gAAAA' }, { content: [{ type: 'reasoning_text', text: 'Hm' }] }].map((members) => ({
    name: `reasoning with ${JSON.stringify(members)}`,
    body: { input: [user('Hi'), { ...thought, ...members }, answer('Yes'), user('?')] },
    sent: { 'openai-responses/gpt-5': { 'input.length': 4 } },
  })),
  {
    name: 'a summary of reasoning that the provider stores',
    body: { store: true, input: [user('Hi'), thought, answer('Yes'), user('?')] },
    sent: { 'openai-responses/gpt-5': { 'input.length': 4 } },
  },
  {
    name: 'the choice of a function in a namespace',
    body: { tools: [namespace], tool_choice: choice },
    sent: {
      [chat!]: { 'tool_choice.function.name': 'ns__go' },
      [anthropic!]: { 'tool_choice.name': 'ns__go' },
      [responses!]: { tool_choice: choice },
    },
  },
  {
    name: 'a choice among functions in a namespace',
    body: {
      tools: [namespace, { ...go, name: 'read' }],
      tool_choice: { type: 'allowed_tools', mode: 'required', tools: [choice] },
    },
    sent: { [anthropic!]: { 'tools.length': 1, 'tools.0.name': 'ns__go', 'tool_choice.type': 'any' } },
  },
  {
    name: 'cache breakpoints of OpenAI',
    body: { input: [user([{ ...marked, type: 'input_text' }])] },
    sent: {
      // Its cache writes have no price.
      openai: { 'messages.0': user('Hi') },
      [anthropic!]: { 'messages.0.content.0.cache_control': { type: 'ephemeral' } },
    },
  },
  {
    name: 'options for generated images',
    body: { image: { quality: 'low' } },
    sent: { [chat!]: { image: undefined }, [responses!]: { 'image.quality': 'low' } },
    dropped: { [chat!]: ['image'] },
  },
  {
    name: 'the choice of a tool of the provider, and a shortened conversation',
    body: { tools: [go], tool_choice: { type: 'mcp', server_label: 'x' }, truncation: 'auto' },
    sent: { [chat!]: { tool_choice: undefined }, [responses!]: { 'tool_choice.type': 'mcp', truncation: 'auto' } },
    // This service truncates the conversation itself.
    dropped: { [chat!]: ['tool_choice'] },
  },
]

const signed = { type: 'thinking', thinking: 'Hm', signature: 'SIG' }
const use = { type: 'tool_use', id: 't1', name: 'read', input: {} }
const budget = { max_tokens: 4000, thinking: { type: 'enabled', budget_tokens: 2000 } }
const tools = [{ name: 'read', input_schema: parameters }]
const result = user([{ type: 'tool_result', tool_use_id: 't1', content: 'x' }])

export const limitMessages: OddRequest[] = [
  {
    name: 'fields of blocks that Anthropic refuses',
    body: {
      messages: [
        user('Hi'),
        answer([
          { ...signed, cache_control: { type: 'ephemeral' }, index: 0 },
          { type: 'redacted_thinking', data: 'RED', cache_control: { type: 'ephemeral' } },
          { type: 'text', text: 'Yes', parsed_output: { a: 1 } },
        ]),
        user('?'),
      ],
    },
    sent: {
      [anthropic!]: {
        'messages.1.content': [signed, { type: 'redacted_thinking', data: 'RED' }, { type: 'text', text: 'Yes' }],
      },
    },
  },
  {
    name: 'a response format in the former field',
    body: { output_format: { type: 'json_schema', schema: parameters } },
    sent: { [anthropic!]: { 'output_format.schema.additionalProperties': false } },
  },
  {
    name: 'a call without its reasoning',
    body: { ...budget, tools, messages: [user('Hi'), answer([{ type: 'thinking', thinking: 'Hm' }, use]), result] },
    sent: {
      'anthropic-messages/claude-opus-4-5': { thinking: undefined },
      'anthropic-messages/claude-opus-5': { 'thinking.type': 'adaptive', 'messages.1.content.length': 1 },
    },
  },
]
