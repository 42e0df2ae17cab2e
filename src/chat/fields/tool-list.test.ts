import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chatClientProtocols } from '#gateway/clients/client-protocols.ts'
import { PresetConfig } from '#gateway/presets/preset-config.ts'
import { ResponsesRequest } from '../responses-request.ts'
import { maxTools } from './tool-list.ts'

const tools = (count: number) =>
  Array.from({ length: count }, (_, i) => ({
    type: 'function',
    name: `f${i}`,
    function: { name: `f${i}` },
    input_schema: { type: 'object' },
  }))

const body = (count: number) => ({
  messages: [{ role: 'user', content: 'Hi' }],
  input: 'Hi',
  max_tokens: 1,
  tools: tools(count),
})

test('a request or preset has at most 2,048 tools', () => {
  const schemas = [...chatClientProtocols.map(({ operation }) => operation.request), ResponsesRequest]
  for (const schema of schemas) {
    assert.ok(schema.safeParse(body(maxTools)).success)
    assert.match(schema.safeParse(body(maxTools + 1)).error!.message, /must have at most 2048 tools/)
  }
  assert.ok(PresetConfig.safeParse({ tools: tools(maxTools) }).success)
  assert.match(PresetConfig.safeParse({ tools: tools(maxTools + 1) }).error!.message, /must have at most 2048 tools/)
})
