import type { z } from 'zod'
import { textOf } from '#chat/message.ts'
import { MessagesRequest, type MessagesTool, type MessagesToolChoice, type Thinking } from '#chat/messages-request.ts'
import { withoutNulls } from '#platform/json/without-nulls.ts'
import { type PresetSettings, pick, undefinedIfEmpty, withoutDefaults } from './preset-settings.ts'

/** A messages body with fewer required fields, because it is saved and not answered. */
export const MessagesPresetBody = MessagesRequest.partial({ messages: true }).meta({
  id: 'MessagesPresetBody',
  description: 'A messages request body; `messages` is optional.',
})
type MessagesPresetBody = z.infer<typeof MessagesPresetBody>

/** Fields that messages bodies and presets have under the same name. */
const sharedFields = [
  'model',
  'temperature',
  'top_p',
  'top_k',
  'provider',
  'route',
  'plugins',
  'cache_control',
  'service_tier',
  'stop_server_tools_when',
] as const satisfies (keyof typeof MessagesRequest.shape)[]

/** The fields of a messages body that a preset stores, some under another name. */
export const fieldsFromMessages: ReadonlySet<string> = new Set([
  ...sharedFields,
  'models',
  'fallbacks',
  'max_tokens',
  'stop_sequences',
  'thinking',
  'output_config',
  'tools',
  'tool_choice',
  'system',
])

/** Translates a messages body to the field names of presets. */
export function settingsFromMessages(body: MessagesPresetBody): PresetSettings {
  const config = withoutNulls({
    ...pick(body, sharedFields),
    models: body.models ?? body.fallbacks?.map(({ model }) => model),
    max_output_tokens: body.max_tokens,
    stop: body.stop_sequences,
    reasoning: readReasoning(body),
    text: readTextOptions(body.output_config?.format),
    tools: body.tools?.map(toFunctionTool),
    tool_choice: toToolChoice(body.tool_choice),
    parallel_tool_calls: toParallelToolCalls(body.tool_choice),
  })
  return { systemPrompt: textOf(body.system, '\n\n') || null, config: withoutDefaults(config) }
}

function readReasoning({ thinking, output_config }: MessagesPresetBody) {
  return undefinedIfEmpty(withoutNulls({ ...readThinking(thinking), effort: output_config?.effort }))
}

function readThinking(thinking: Thinking | null | undefined) {
  if (!thinking) return {}
  return { enabled: thinking.type !== 'disabled', max_tokens: thinking.budget_tokens }
}

/** Presets need a name for a schema; messages bodies have none. */
function readTextOptions(format: NonNullable<MessagesPresetBody['output_config']>['format']) {
  if (!format) return undefined
  return { format: format.type === 'json_schema' ? { name: 'response', ...format } : format }
}

/** A client tool becomes a function; a provider tool stays. */
function toFunctionTool(tool: MessagesTool) {
  if (tool.type && tool.type !== 'custom') return tool
  const { input_schema, ...rest } = tool
  return { ...rest, type: 'function', ...(input_schema && { parameters: input_schema }) }
}

function toToolChoice(choice: MessagesToolChoice | null | undefined) {
  switch (choice?.type) {
    case 'any':
      return 'required'
    case 'tool':
      return { type: 'function', name: choice.name }
    default:
      return choice?.type
  }
}

function toParallelToolCalls(choice: MessagesToolChoice | null | undefined): boolean | undefined {
  return choice?.disable_parallel_tool_use === undefined ? undefined : !choice.disable_parallel_tool_use
}
