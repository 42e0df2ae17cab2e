import assert from 'node:assert/strict'
import { test } from 'node:test'
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
