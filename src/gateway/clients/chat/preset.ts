import type { ChatRequest } from '#chat/chat-request.ts'
import { limitNames } from '#chat/tokens/output-limit.ts'
import { withoutNulls } from '#platform/json/without-nulls.ts'
import type { PresetAdapter } from '../../presets/apply-preset.ts'
import { toOpenAiServiceTier } from '../../presets/preset-settings.ts'
import { readReasoningOptions } from '../../protocol/reasoning-options.ts'
import { toChatChoice, toChatCustomTool } from '../../protocol/tool-conversions.ts'
import { movePresetFunctions } from './legacy-functions.ts'

type Fields = Record<string, unknown>
type Tool = { type: string } & Fields

export const chatPreset: PresetAdapter = {
  toBodyFields: toChatFields,
  withPrompt: (prompt, { messages }) => ({
    messages: [{ role: 'system', content: prompt }, ...(messages as object[])],
  }),
  equivalentFields: {
    max_completion_tokens: limitNames,
    reasoning: ['reasoning_effort'],
    reasoning_effort: ['reasoning'],
  },
  adaptTools: movePresetFunctions,
  // A request can set reasoning in the fields of another vendor. Then the preset's two fields for it are not filled in.
  listFieldsSetByRequest: (body) =>
    readReasoningOptions(body as ChatRequest) ? ['reasoning', 'reasoning_effort'] : [],
}

/** A preset's configuration in the field names of a chat body. Settings without such a name are omitted. */
function toChatFields(config: Fields): Fields {
  const {
    max_output_tokens,
    max_tool_calls,
    truncation,
    text,
    reasoning,
    tools,
    tool_choice,
    service_tier,
    ...unchangedSettings
  } = config
  const { format, verbosity } = (text ?? {}) as { format?: Tool; verbosity?: unknown }
  return withoutNulls({
    ...unchangedSettings,
    transforms: truncation === 'auto' ? ['middle-out'] : undefined,
    max_completion_tokens: max_output_tokens,
    response_format: format && encodeFormat(format),
    verbosity,
    ...encodeReasoning(reasoning),
    tools: (tools as Tool[] | null | undefined)?.map(nestTool),
    tool_choice: nestToolChoice(tool_choice),
    service_tier: toOpenAiServiceTier(service_tier),
  })
}

/** All providers of chat completions know `reasoning_effort`, but only some know the object `reasoning`. */
function encodeReasoning(reasoning: unknown): Fields {
  const { effort, ...others } = withoutNulls((reasoning ?? {}) as Fields)
  if (effort !== undefined && Object.keys(others).length === 0) return { reasoning_effort: effort }
  return { reasoning }
}

function encodeFormat({ type, ...json_schema }: Tool): Fields {
  return type === 'json_schema' ? { type, json_schema } : { type, ...json_schema }
}

function nestTool(tool: Tool): Fields {
  if (tool.type === 'custom' && tool.custom == null) return toChatCustomTool(tool)
  if (tool.type !== 'function') return tool
  const { type, name, description, parameters, strict, ...others } = tool
  return { type, function: withoutNulls({ name, description, parameters, strict }), ...others }
}

function nestToolChoice(choice: unknown): unknown {
  if (typeof choice !== 'object' || choice === null) return choice
  const { type, name, ...others } = choice as Tool
  return type === 'function' ? { type, function: { name }, ...others } : (toChatChoice(choice) ?? choice)
}
