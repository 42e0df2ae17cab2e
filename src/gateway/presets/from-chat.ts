import type { z } from 'zod'
import { ChatRequest, type ChatTool } from '#chat/chat-request.ts'
import { textOf } from '#chat/message.ts'
import { withoutNulls } from '#platform/json/without-nulls.ts'
import { type PresetSettings, pick, undefinedIfEmpty, withoutDefaults } from './preset-settings.ts'

/** A chat-completions body with fewer required fields, because it is saved and not answered. */
export const ChatPresetBody = ChatRequest.partial({ messages: true }).meta({
  id: 'ChatPresetBody',
  description: 'A chat-completions request body; `messages` is optional.',
})
type ChatPresetBody = z.infer<typeof ChatPresetBody>

/** Fields that chat bodies and presets have under the same name. */
const sharedFields = [
  'model',
  'models',
  'temperature',
  'top_p',
  'top_k',
  'frequency_penalty',
  'presence_penalty',
  'top_logprobs',
  'parallel_tool_calls',
  'plugins',
  'provider',
  'route',
  'service_tier',
  'modalities',
  'image_config',
  'cache_control',
  'prompt_cache_options',
  'stop_server_tools_when',
  'stop',
  'seed',
  'logit_bias',
  'logprobs',
  'min_p',
  'top_a',
  'repetition_penalty',
] as const satisfies (keyof typeof ChatRequest.shape)[]

/** The fields of a chat body that a preset stores, some under another name. */
export const fieldsFromChat: ReadonlySet<string> = new Set([
  ...sharedFields,
  'max_completion_tokens',
  'max_tokens',
  'reasoning',
  'reasoning_effort',
  'response_format',
  'verbosity',
  'tools',
  'tool_choice',
])

/** Translates a chat body to the field names of presets. */
export function settingsFromChat(body: ChatPresetBody): PresetSettings {
  const config = withoutNulls({
    ...pick(body, sharedFields),
    max_output_tokens: body.max_completion_tokens ?? body.max_tokens,
    reasoning: readReasoning(body),
    text: undefinedIfEmpty(withoutNulls({ format: flattenFormat(body.response_format), verbosity: body.verbosity })),
    tools: body.tools?.map(flattenTool),
    tool_choice: flattenChoice(body.tool_choice),
  })
  return { systemPrompt: readSystemPrompt(body), config: withoutDefaults(config) }
}

/** The system and developer messages at the start. Later ones belong to the conversation. */
function readSystemPrompt({ messages = [] }: ChatPresetBody): string | null {
  const firstOther = messages.findIndex(({ role }) => role !== 'system' && role !== 'developer')
  const leading = firstOther === -1 ? messages : messages.slice(0, firstOther)
  return leading.map(({ content }) => textOf(content)).join('\n\n') || null
}

function readReasoning({ reasoning, reasoning_effort }: ChatPresetBody) {
  return undefinedIfEmpty({ ...reasoning, ...withoutNulls({ effort: reasoning?.effort ?? reasoning_effort }) })
}

function flattenFormat(format: ChatPresetBody['response_format']) {
  if (format?.type !== 'json_schema') return format
  return { ...format.json_schema, type: 'json_schema' }
}

function flattenTool({ function: definition, ...tool }: ChatTool) {
  return definition ? { type: 'function', ...definition, ...tool } : tool
}

function flattenChoice(choice: ChatPresetBody['tool_choice']) {
  if (choice === 'any') return 'required'
  if (typeof choice !== 'object' || choice?.type !== 'function') return choice
  const { function: definition, ...rest } = choice
  return { ...(definition as object | undefined), ...rest }
}
