import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MessagesPresetBody, settingsFromMessages } from './from-messages.ts'

const settings = (body: object) => settingsFromMessages(MessagesPresetBody.parse(body))
const config = (body: object) => settings(body).config

test('the system text or blocks are the system prompt', () => {
  assert.equal(settings({ system: 'Be brief.' }).systemPrompt, 'Be brief.')
  const blocks = [
    { type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } },
    { type: 'text', text: 'Be kind.' },
  ]
  assert.equal(settings({ system: blocks }).systemPrompt, 'Be brief.\n\nBe kind.')
  assert.equal(settings({ messages: [{ role: 'user', content: 'Hi' }] }).systemPrompt, null)
})

/** A field of a messages body, and its form in a preset. */
const table: [said: string, body: object, expected: object][] = [
  ['max_tokens', { max_tokens: 5 }, { max_output_tokens: 5 }],
  ['stop_sequences', { stop_sequences: ['END'] }, { stop: ['END'] }],
  [
    'a thinking budget',
    { thinking: { type: 'enabled', budget_tokens: 2048 } },
    { reasoning: { enabled: true, max_tokens: 2048 } },
  ],
  ['no thinking', { thinking: { type: 'disabled' } }, { reasoning: { enabled: false } }],
  [
    'adaptive thinking and effort',
    { thinking: { type: 'adaptive' }, output_config: { effort: 'high' } },
    { reasoning: { enabled: true, effort: 'high' } },
  ],
  [
    'an output schema',
    { output_config: { format: { type: 'json_schema', schema: { type: 'object' } } } },
    { text: { format: { name: 'response', type: 'json_schema', schema: { type: 'object' } } } },
  ],
  [
    'a tool',
    { tools: [{ name: 'f', description: 'd', input_schema: { type: 'object' } }] },
    { tools: [{ name: 'f', description: 'd', type: 'function', parameters: { type: 'object' } }] },
  ],
  [
    'a custom tool without schema',
    { tools: [{ type: 'custom', name: 'f' }] },
    { tools: [{ type: 'function', name: 'f' }] },
  ],
  [
    "a provider's own tool",
    { tools: [{ type: 'bash_20250124', name: 'bash' }] },
    { tools: [{ type: 'bash_20250124', name: 'bash' }] },
  ],
  ['tool choice auto', { tool_choice: { type: 'auto' } }, { tool_choice: 'auto' }],
  ['tool choice any', { tool_choice: { type: 'any' } }, { tool_choice: 'required' }],
  ['tool choice none', { tool_choice: { type: 'none' } }, { tool_choice: 'none' }],
  [
    'the choice of one tool, one at a time',
    { tool_choice: { type: 'tool', name: 'f', disable_parallel_tool_use: true } },
    { tool_choice: { type: 'function', name: 'f' }, parallel_tool_calls: false },
  ],
  ['fallbacks', { fallbacks: [{ model: 'c/d' }] }, { models: ['c/d'] }],
  [
    'fields of the same name and meaning',
    { model: 'a/b', models: ['c/d'], temperature: 1, top_k: 5, cache_control: { type: 'ephemeral' } },
    { model: 'a/b', models: ['c/d'], temperature: 1, top_k: 5, cache_control: { type: 'ephemeral' } },
  ],
  ['the documented default', { service_tier: 'auto' }, {}],
  ['what belongs to one call', { stream: true, metadata: { user_id: 'u' }, user: 'u', trace: {}, speed: 'fast' }, {}],
]
for (const [name, body, expected] of table) {
  test(`from a messages body: ${name}`, () => assert.deepEqual(config(body), expected))
}
