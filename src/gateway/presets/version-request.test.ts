import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ChatRequest } from '#chat/chat-request.ts'
import { MessagesRequest } from '#chat/messages-request.ts'
import { ResponsesRequest } from '#chat/responses-request.ts'
import { fieldsFromChat, settingsFromChat } from './from-chat.ts'
import { fieldsFromMessages, settingsFromMessages } from './from-messages.ts'
import { PresetConfig } from './preset-config.ts'
import { fieldsFromResponses, type PresetSettings, settingsFromResponses } from './preset-settings.ts'

type Settings = (body: never) => PresetSettings

/** A value for each field that a preset converts; all other fields accept any text. */
const converted: Record<string, unknown> = {
  reasoning: { effort: 'low' },
  response_format: { type: 'json_object' },
  tools: [{ type: 'function', name: 'look', function: { name: 'look' } }],
  fallbacks: [{ model: 'm' }],
  thinking: { type: 'enabled', budget_tokens: 1024 },
  output_config: { effort: 'low' },
  tool_choice: 'auto',
}
const messagesTools = { tool_choice: { type: 'auto' } }

for (const [kind, shape, fields, settings, samples] of [
  ['chat', ChatRequest.shape, fieldsFromChat, settingsFromChat, converted],
  ['messages', MessagesRequest.shape, fieldsFromMessages, settingsFromMessages, { ...converted, ...messagesTools }],
  ['responses', ResponsesRequest.shape, fieldsFromResponses, settingsFromResponses, converted],
] as const)
  test(`a ${kind} request: a preset stores the fields that are not reported as skipped`, () => {
    // Only the system messages are stored.
    const names = Object.keys(shape).filter((name) => name !== 'messages')
    const stored = names.filter((name) => {
      const { config, systemPrompt } = (settings as Settings)({ [name]: samples[name as never] ?? 'x' } as never)
      return systemPrompt !== null || Object.keys(config).length > 0
    })
    assert.deepEqual(stored.sort(), [...fields].sort())
  })

test('the settings of a version are the fields that all request kinds store', () => {
  const stored = [
    ...storedNames(fieldsFromChat, settingsFromChat, converted),
    ...storedNames(fieldsFromMessages, settingsFromMessages, { ...converted, ...messagesTools }),
    ...storedNames(fieldsFromResponses, settingsFromResponses, converted),
  ]
  assert.deepEqual([...new Set(stored)].sort(), Object.keys(PresetConfig.shape).sort())
})

const storedNames = (fields: ReadonlySet<string>, settings: Settings, samples: Record<string, unknown>) =>
  [...fields].flatMap((name) => Object.keys(settings({ [name]: samples[name] ?? 'x' } as never).config))
