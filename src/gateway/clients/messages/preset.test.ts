import assert from 'node:assert/strict'
import { test } from 'node:test'
import { applyPreset } from '../../presets/apply-preset.ts'
import { messagesPreset } from './preset.ts'

test('a preset’s tool choice limits parallel calls only if it says so', () => {
  const choice = (tool_choice: unknown, parallel_tool_calls?: boolean) =>
    messagesPreset.toBodyFields({ tool_choice, parallel_tool_calls }).tool_choice
  const one = { disable_parallel_tool_use: true }
  assert.deepEqual([choice('required'), choice('required', true)], [{ type: 'any' }, { type: 'any' }])
  assert.deepEqual(
    [choice('required', false), choice('auto', false)],
    [
      { type: 'any', ...one },
      { type: 'auto', ...one },
    ],
  )
  assert.deepEqual(choice({ type: 'function', name: 'f' }), { type: 'tool', name: 'f' })
})

const inMessages = (config: Record<string, unknown>, body: Record<string, unknown> = {}) =>
  applyPreset({ config, system_prompt: null }, body, messagesPreset)

test('reasoning, format and limit of the request replace those of the preset', () => {
  const effort = { output_config: { effort: 'low' } }
  assert.deepEqual(inMessages({ reasoning: { effort: 'high' } }, effort), effort)
  const format = { output_format: { type: 'json_schema', schema: {} } }
  assert.deepEqual(
    inMessages({ text: { format: { type: 'json_schema', schema: { type: 'object' } } } }, format),
    format,
  )
  assert.deepEqual(inMessages({ max_output_tokens: 5 }, { max_completion_tokens: 9 }), { max_completion_tokens: 9 })
})

test('custom tools of a preset become functions with one text', () => {
  const parameters = { type: 'object', required: ['input'], additionalProperties: false }
  const declared = [
    { type: 'custom', name: 'patch', description: 'Edit.' },
    { type: 'custom', custom: { name: 'patch', description: 'Edit.' } },
  ]
  const choices = [
    { type: 'custom', name: 'patch' },
    { type: 'custom', custom: { name: 'patch' } },
  ]
  for (const [at, tool] of declared.entries()) {
    const { tools, tool_choice } = inMessages({ tools: [tool], tool_choice: choices[at] })
    assert.partialDeepStrictEqual(tools, [{ name: 'patch', description: 'Edit.', input_schema: parameters }])
    assert.deepEqual(tool_choice, { type: 'tool', name: 'patch' })
  }
})

test('a choice among several tools of a preset sends only these tools', () => {
  const tools = ['a', 'b'].map((name) => ({ type: 'function', name, parameters: { type: 'object' } }))
  const choice = { type: 'allowed_tools', mode: 'required', tools: [{ type: 'function', name: 'a' }] }
  const encoded = (name: string) => ({ name, input_schema: { type: 'object' } })
  assert.deepEqual(inMessages({ tools, tool_choice: choice }), { tools: [encoded('a')], tool_choice: { type: 'any' } })
  const own = { tool_choice: { type: 'auto' } }
  assert.deepEqual(inMessages({ tools, tool_choice: choice }, own), { tools: [encoded('a'), encoded('b')], ...own })
})
