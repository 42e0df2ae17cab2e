import { withoutNulls } from '#platform/json/without-nulls.ts'
import type { PresetStyle } from '../../presets/apply-preset.ts'
import { createForeignFieldFilter } from '../../presets/preset-settings.ts'
import { chatOnlyFields } from './request/to-chat.ts'

type Fields = Record<string, unknown>
type Tool = { type: string } & Fields

export const messagesPreset: PresetStyle = {
  toBodyFields: toMessagesFields,
  withPrompt: (prompt, { system }) => ({ system: prependPrompt(prompt, system) }),
  otherNames: { reasoning: ['thinking'], models: ['fallbacks'] },
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
    tools: (tools as Tool[] | null | undefined)?.map(encodeTool),
    tool_choice: encodeToolChoice(tool_choice, parallel_tool_calls),
    service_tier: serviceTiers[String(service_tier)],
  })
}

const serviceTiers: Record<string, string> = { default: 'standard_only', standard_only: 'standard_only' }

function encodeTool(tool: Tool): Fields {
  if (tool.type !== 'function') return tool
  const { type: _function, parameters, ...others } = tool
  return withoutNulls({ ...others, input_schema: parameters ?? { type: 'object', properties: {} } })
}

function encodeToolChoice(choice: unknown, parallel: unknown): Fields | undefined {
  const parallelism = parallel === false ? { disable_parallel_tool_use: true } : {}
  if (choice === 'none') return { type: 'none' }
  if (choice === 'required') return { type: 'any', ...parallelism }
  const { type, name } = (choice ?? {}) as { type?: string; name?: string }
  if (type === 'function') return { type: 'tool', name, ...parallelism }
  return choice === 'auto' || parallel === false ? { type: 'auto', ...parallelism } : undefined
}

function prependPrompt(prompt: string, system: unknown): unknown {
  if (Array.isArray(system)) return [{ type: 'text', text: prompt }, ...system]
  return system ? `${prompt}\n\n${system}` : prompt
}
