import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { chatPreset } from '../clients/chat/preset.ts'
import { responsesPreset } from '../clients/responses/preset.ts'
import { applyPreset } from './apply-preset.ts'
import { settingsFromChat } from './from-chat.ts'

type Body = Record<string, unknown>
const preset = (config: Body, system_prompt: string | null = null) => ({ config, system_prompt })
const hello = [{ role: 'user', content: 'Hello' }]
const inChat = (config: Body, body: Body = {}) => {
  const { messages: _, ...rest } = applyPreset(preset(config), { messages: hello, ...body }, chatPreset)
  return rest
}
const flatTool = (name: string, description?: string) => ({
  type: 'function',
  name,
  ...(description && { description }),
})
const nested = (name: string, description?: string) => ({
  type: 'function',
  function: { name, ...(description && { description }) },
})
const grammar = { syntax: 'lark', definition: 'start: "a"' }
const flatCustomTool = { type: 'custom', name: 'a', format: { type: 'grammar', ...grammar } }
const nestedCustomTool = { type: 'custom', custom: { name: 'a', format: { type: 'grammar', grammar } } }
const schema = { type: 'json_schema', name: 'a', schema: { type: 'object' }, strict: true }
const { type: _type, ...json_schema } = schema

describe('a chat body gets', () => {
  const table: [string, Body, Body, Body][] = [
    ['what it leaves out', { model: 'a/b', temperature: 1 }, {}, { model: 'a/b', temperature: 1 }],
    ['nothing for what it says', { temperature: 1 }, { temperature: 0 }, { temperature: 0 }],
    ['nothing for what it takes away', { temperature: 1 }, { temperature: null }, { temperature: null }],
    ['nothing from a preset’s null', { temperature: null }, {}, {}],
    ['the limit', { max_output_tokens: 5 }, {}, { max_completion_tokens: 5 }],
    ['no limit beside its own older name', { max_output_tokens: 5 }, { max_tokens: 9 }, { max_tokens: 9 }],
    ['no limit beside any of its names', { max_output_tokens: 5 }, { max_new_tokens: 9 }, { max_new_tokens: 9 }],
    ['a schema', { text: { format: schema } }, {}, { response_format: { type: 'json_schema', json_schema } }],
    ['JSON', { text: { format: { type: 'json_object' } } }, {}, { response_format: { type: 'json_object' } }],
    ['the verbosity', { text: { verbosity: 'low' } }, { verbosity: 'high' }, { verbosity: 'high' }],
    ['an effort', { reasoning: { effort: 'low' } }, {}, { reasoning_effort: 'low' }],
    [
      'reasoning',
      { reasoning: { effort: 'low', summary: 'auto' } },
      {},
      { reasoning: { effort: 'low', summary: 'auto' } },
    ],
    [
      'no reasoning beside its effort',
      { reasoning: { enabled: true } },
      { reasoning_effort: 'low' },
      { reasoning_effort: 'low' },
    ],
    ['no effort beside its reasoning', { reasoning: { effort: 'low' } }, { reasoning: {} }, { reasoning: {} }],
    [
      'no effort beside the reasoning of another vendor',
      { reasoning: { effort: 'high' } },
      { thinking: { type: 'disabled' } },
      { thinking: { type: 'disabled' } },
    ],
    [
      'no reasoning beside that of a chat template',
      { reasoning: { enabled: true } },
      { chat_template_kwargs: { enable_thinking: false } },
      { chat_template_kwargs: { enable_thinking: false } },
    ],
    ['tools, nested', { tools: [flatTool('a')] }, {}, { tools: [nested('a')] }],
    [
      'tools beside its own',
      { tools: [flatTool('a')] },
      { tools: [nested('b')] },
      { tools: [nested('a'), nested('b')] },
    ],
    [
      'no tool that it defines',
      { tools: [flatTool('a', 'x')] },
      { tools: [nested('a', 'y')] },
      { tools: [nested('a', 'y')] },
    ],
    [
      'tools of providers',
      { tools: [{ type: 'web_search' }] },
      { tools: [nested('b')] },
      { tools: [{ type: 'web_search' }, nested('b')] },
    ],
    [
      'a choice of a function',
      { tools: [flatTool('a')], tool_choice: flatTool('a') },
      {},
      { tools: [nested('a')], tool_choice: nested('a') },
    ],
    [
      'a custom tool of responses and its choice',
      { tools: [flatCustomTool], tool_choice: { type: 'custom', name: 'a' } },
      {},
      { tools: [nestedCustomTool], tool_choice: { type: 'custom', custom: { name: 'a' } } },
    ],
    [
      'a choice among tools of responses',
      {
        tools: [flatTool('a'), flatTool('b')],
        tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [flatTool('a')] },
      },
      {},
      {
        tools: [nested('a'), nested('b')],
        tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [nested('a')] } },
      },
    ],
    ['the service tier of Anthropic', { service_tier: 'standard_only' }, {}, { service_tier: 'default' }],
    ['no choice without tools', { tool_choice: 'auto', parallel_tool_calls: true }, {}, {}],
    ['fields of chat bodies alone', { stop: ['x'], seed: 1, min_p: 0.1 }, {}, { stop: ['x'], seed: 1, min_p: 0.1 }],
    ['nothing that has no name here', { truncation: 'disabled', max_tool_calls: 2 }, {}, {}],
    [
      'routing as one field',
      { provider: { sort: 'price', zdr: true } },
      { provider: { sort: 'latency' } },
      { provider: { sort: 'latency' } },
    ],
    ['truncation by its name here', { truncation: 'auto' }, {}, { transforms: ['middle-out'] }],
    [
      'fallbacks beside its model',
      { model: 'a/b', models: ['c/d'] },
      { model: 'e/f' },
      { model: 'e/f', models: ['c/d'] },
    ],
  ]
  for (const [what, config, body, expected] of table) {
    test(what, () => assert.deepEqual(inChat(config, body), expected))
  }
})

test('the system prompt precedes the request’s own system messages', () => {
  const own = { role: 'system', content: 'Be brief.' }
  const { messages } = applyPreset(preset({}, 'Rhyme.'), { messages: [own, ...hello] }, chatPreset)
  assert.deepEqual(messages, [{ role: 'system', content: 'Rhyme.' }, own, ...hello])
})

test('in a Responses body the system prompt precedes the instructions', () => {
  const { instructions } = applyPreset(preset({}, 'Rhyme.'), { instructions: 'Be brief.' }, responsesPreset)
  assert.equal(instructions, 'Rhyme.\n\nBe brief.')
  assert.deepEqual(applyPreset(preset({}, 'Rhyme.'), { instructions: null }, responsesPreset), {
    instructions: 'Rhyme.',
  })
})

test('a responses body keeps the names of the preset, with a text format', () => {
  const config = { max_output_tokens: 5, text: { format: schema, verbosity: 'low' }, tools: [flatTool('a')] }
  const body = { input: 'Hi', text: { verbosity: 'high' }, tools: [flatTool('b')] }
  assert.deepEqual(applyPreset(preset(config), body, responsesPreset), {
    input: 'Hi',
    max_output_tokens: 5,
    text: { format: schema, verbosity: 'high' },
    tools: [flatTool('a'), flatTool('b')],
  })
})

test('a responses body gets the tools of a chat preset in its own form', () => {
  const choice = { type: 'custom', custom: { name: 'a' } }
  const saved = settingsFromChat({ tools: [nestedCustomTool], tool_choice: choice, service_tier: 'standard_only' })
  assert.deepEqual(applyPreset(preset(saved.config), {}, responsesPreset), {
    tools: [flatCustomTool],
    tool_choice: { type: 'custom', name: 'a' },
    service_tier: 'default',
  })
})

test('a responses body keeps its limit under any name', () => {
  for (const name of ['max_tokens', 'max_completion_tokens'])
    assert.deepEqual(applyPreset(preset({ max_output_tokens: 5 }), { [name]: 9 }, responsesPreset), { [name]: 9 })
})

test('chat-only fields of a preset do not reach upstreams of responses', () => {
  const own = { input: 'Hi', seed: 7 }
  const applied = applyPreset(preset({ stop: ['x'], seed: 1, temperature: 1 }), own, responsesPreset)
  assert.deepEqual(applied, { input: 'Hi', seed: 7, stop: ['x'], temperature: 1 })
  assert.deepEqual(responsesPreset.forUpstream!(applied, own), { input: 'Hi', seed: 7, temperature: 1 })
})

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined })
const names = fc.subarray(['a', 'b', 'c'])
const number = maybe(fc.constantFrom(0, 1, 5))
const common = {
  model: maybe(fc.constantFrom('a/b', 'c/d')),
  temperature: number,
  provider: maybe(fc.constant({ sort: 'price' })),
  top_k: number,
  stop: maybe(fc.constant(['x'])),
}
const chatBody = fc
  .record({
    ...common,
    max_tokens: number,
    max_completion_tokens: number,
    reasoning_effort: maybe(fc.constant('low')),
    response_format: maybe(fc.constant({ type: 'json_object' })),
    tools: maybe(names.map((some) => some.map((name) => nested(name, 'own')))),
    tool_choice: maybe(fc.constantFrom('auto', 'none', nested('a'))),
  })
  .map((fields): Body => ({ messages: hello, ...dropped(fields) }))
const responsesBody = fc
  .record({
    ...common,
    instructions: maybe(fc.constant('Own.')),
    max_output_tokens: number,
    reasoning: maybe(fc.constant({ effort: 'low' })),
    text: maybe(fc.constant({ verbosity: 'low' })),
    tools: maybe(names.map((some) => some.map((name) => flatTool(name, 'own')))),
  })
  .map(dropped)
const config = fc
  .record({
    ...common,
    max_output_tokens: number,
    reasoning: maybe(fc.constantFrom({ effort: 'high' }, { enabled: true })),
    text: maybe(fc.constantFrom({ format: schema }, { verbosity: 'high' })),
    tools: maybe(names.map((some) => some.map((name) => flatTool(name, 'preset')))),
    tool_choice: maybe(fc.constantFrom('required', flatTool('b'))),
  })
  .map(dropped)
const either = fc.oneof(
  fc.tuple(fc.constant(chatPreset), chatBody),
  fc.tuple(fc.constant(responsesPreset), responsesBody),
)

function dropped(fields: Body): Body {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}
const namesIn = (tools: unknown) =>
  ((tools ?? []) as any[]).map((tool) => [
    tool.name ?? tool.function.name,
    tool.description ?? tool.function.description,
  ])

test('a preset does not change fields of the request', () => {
  fc.assert(
    fc.property(config, either, (settings, [style, body]) => {
      const applied = applyPreset(preset(settings, 'Prompt.'), body, style)
      const { tools, messages, instructions, text, ...fields } = body
      for (const [name, value] of Object.entries(fields)) assert.deepEqual(applied[name], value)
      if (messages) assert.deepEqual((applied.messages as unknown[]).slice(-hello.length), messages)
      if (instructions) assert.ok(String(applied.instructions).endsWith(`\n\n${instructions}`))
      if (text) assert.deepEqual({ ...(applied.text as object), ...text }, applied.text)
    }),
  )
})

test('tools are merged by name, and those of the request win', () => {
  fc.assert(
    fc.property(config, either, (settings, [style, body]) => {
      const [offered, own] = [namesIn(settings.tools), namesIn(body.tools)]
      const expected = new Map([...offered, ...own] as [string, string][])
      const applied = namesIn(applyPreset(preset(settings), body, style).tools)
      assert.equal(applied.length, expected.size)
      assert.deepEqual(new Map(applied as [string, string][]), expected)
    }),
  )
})

test('applying a preset twice without its system prompt changes nothing', () => {
  fc.assert(
    fc.property(config, either, (settings, [style, body]) => {
      const once = applyPreset(preset(settings), body, style)
      assert.deepEqual(applyPreset(preset(settings), once, style), once)
    }),
  )
})

test('an empty preset changes nothing, and bodies are not mutated', () => {
  fc.assert(
    fc.property(config, either, (settings, [style, body]) => {
      const before = structuredClone(body)
      assert.deepEqual(applyPreset(preset({}), body, style), before)
      applyPreset(preset(settings, 'Prompt.'), body, style)
      assert.deepEqual(body, before)
    }),
  )
})

test('a preset saved from a chat body reproduces that body', () => {
  fc.assert(
    fc.property(chatBody, ({ messages, ...fields }: any) => {
      const { max_tokens, ...asked } = fields
      const limit = asked.max_completion_tokens ?? max_tokens
      if (limit !== undefined) asked.max_completion_tokens = limit
      if (!asked.tools?.length) for (const name of ['tools', 'tool_choice']) delete asked[name]
      const { config: saved, systemPrompt } = settingsFromChat({ ...fields, messages })
      const applied = applyPreset(preset(saved, systemPrompt), { messages }, chatPreset)
      const { tools, ...others } = applied
      assert.deepEqual({ ...others, ...((tools as unknown[])?.length && { tools }) }, { ...asked, messages })
    }),
  )
})
