import { limitNames } from '#chat/tokens/output-limit.ts'
import { ownValue } from '#platform/core/own-value.ts'
import { withoutNulls } from '#platform/json/without-nulls.ts'
import type { PresetAdapter } from '../../presets/apply-preset.ts'
import { createForeignFieldFilter } from '../../presets/preset-settings.ts'
import { toFunctionTool } from '../../protocol/repairs/custom-tools.ts'
import { readChoiceKeyword } from '../../protocol/repairs/tool-choice.ts'
import { readToolSchema, toChatChoice, toChatCustomTool } from '../../protocol/tool-conversions.ts'
import { chatOnlyFields } from './request/to-chat.ts'

type Fields = Record<string, unknown>
type Tool = { type: string } & Fields

export const messagesPreset: PresetAdapter = {
  toBodyFields: toMessagesFields,
  withPrompt: (prompt, { system }) => ({ system: prependPrompt(prompt, system) }),
  equivalentFields: { reasoning: ['thinking'], models: ['fallbacks'], max_tokens: limitNames },
  listFieldsSetByRequest: ({ output_config, output_format }) => [
    ...((output_config as Fields | null | undefined)?.effort == null ? [] : ['reasoning']),
    // The deprecated name of the only field that a preset has in `output_config`.
    ...(output_format == null ? [] : ['output_config']),
  ],
  mergedFields: ['output_config'],
  forUpstream: createForeignFieldFilter(chatOnlyFields),
}

/**
 * A preset's configuration in the field names of a messages body. Settings without such a name keep their chat name.
 */
function toMessagesFields(config: Fields): Fields {
  const {
    max_output_tokens,
    max_tool_calls,
    truncation,
    text,
    stop,
    tools,
    tool_choice,
    parallel_tool_calls,
    service_tier,
    ...unchangedSettings
  } = config
  const { format, verbosity } = (text ?? {}) as { format?: Tool; verbosity?: unknown }
  return withoutNulls({
    ...unchangedSettings,
    max_tokens: max_output_tokens,
    stop_sequences: typeof stop === 'string' ? [stop] : stop,
    verbosity,
    output_config:
      format?.type === 'json_schema' ? { format: { type: format.type, schema: format.schema } } : undefined,
    tools: selectAllowedTools(tools as Tool[] | null | undefined, tool_choice)?.map(encodeTool),
    tool_choice: encodeToolChoice(tool_choice, parallel_tool_calls),
    service_tier: ownValue(serviceTiers, String(service_tier)),
  })
}

const serviceTiers: Record<string, string> = { default: 'standard_only', standard_only: 'standard_only' }

function encodeTool(tool: Tool): Fields {
  if (tool.type === 'custom' && readToolSchema(tool) === undefined) return encodeFreeTextTool(tool)
  if (tool.type !== 'function') return tool
  const { type: _function, parameters, ...others } = tool
  return withoutNulls({ ...others, input_schema: parameters ?? { type: 'object', properties: {} } })
}

/** The function in place of a tool that is called with free text, which this protocol does not have. */
function encodeFreeTextTool(tool: Tool): Fields {
  const { custom } = (tool.custom == null ? toChatCustomTool(tool) : tool) as { custom: Fields }
  const { name, description, parameters } = toFunctionTool(custom).function
  return withoutNulls({ name, description, input_schema: parameters })
}

type NamedTool = { type?: unknown; name?: unknown; function?: { name?: unknown }; custom?: { name?: unknown } }
type Choice = { type?: unknown; name?: unknown; custom?: { name?: unknown } } & {
  allowed_tools?: { mode?: unknown; tools?: NamedTool[] | null }
}

/** The choice in the format of chats, with the name of its function. */
function readChoice(choice: unknown): Choice {
  if (typeof choice !== 'object' || choice === null) return { type: choice }
  return toChatChoice(choice) ?? choice
}

/** This protocol cannot choose among several tools, so only the tools of such a choice are sent. */
function selectAllowedTools(tools: Tool[] | null | undefined, choice: unknown): Tool[] | null | undefined {
  const { allowed_tools: allowed } = readChoice(choice)
  if (!Array.isArray(allowed?.tools)) return tools
  const names = new Set(allowed.tools.map(readToolName))
  return tools?.filter((tool) => names.has(readToolName(tool)))
}

const readToolName = (tool: NamedTool): unknown => tool.name ?? tool.function?.name ?? tool.custom?.name ?? tool.type

function encodeToolChoice(choice: unknown, parallel: unknown): Fields | undefined {
  const parallelism = parallel === false ? { disable_parallel_tool_use: true } : {}
  const { type, name, custom, allowed_tools: allowed } = readChoice(choice)
  const keyword = readChoiceKeyword(allowed?.mode ?? type)
  if (keyword === 'none') return { type: 'none' }
  if (keyword === 'required') return { type: 'any', ...parallelism }
  if (type === 'function' || custom) return { type: 'tool', name: name ?? custom?.name, ...parallelism }
  return keyword === 'auto' || parallel === false ? { type: 'auto', ...parallelism } : undefined
}

function prependPrompt(prompt: string, system: unknown): unknown {
  if (Array.isArray(system)) return [{ type: 'text', text: prompt }, ...system]
  return system ? `${prompt}\n\n${system}` : prompt
}
