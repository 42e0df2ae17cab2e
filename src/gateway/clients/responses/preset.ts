import { withoutNulls } from '#platform/json/without-nulls.ts'
import type { PresetStyle } from '../../presets/apply-preset.ts'
import { createForeignFieldFilter } from '../../presets/preset-settings.ts'

type Fields = Record<string, unknown>

/** Field names of other protocols that a preset can have and a responses body does not have. */
const unsupportedFields: ReadonlySet<string> = new Set([
  'stop',
  'seed',
  'logit_bias',
  'logprobs',
  'min_p',
  'top_a',
  'repetition_penalty',
])

export const responsesPreset: PresetStyle = {
  toBodyFields: toResponsesFields,
  withPrompt: (prompt, { instructions }) => ({ instructions: instructions ? `${prompt}\n\n${instructions}` : prompt }),
  mergedFields: ['text'],
  forUpstream: createForeignFieldFilter(unsupportedFields),
}

/** A preset's configuration in the field names of a responses body. */
function toResponsesFields({ tool_choice, ...config }: Fields): Fields {
  return withoutNulls({ ...config, tool_choice: flattenToolChoice(tool_choice) })
}

type NamedTool = { type: string; function?: { name: string } }
type AllowedTools = { type: string; allowed_tools?: { mode: string; tools: NamedTool[] } }

/** A preset that was saved from a chat body has allowed tools in the form of chats. */
function flattenToolChoice(choice: unknown): unknown {
  const { type, allowed_tools: allowed } = (choice ?? {}) as AllowedTools
  if (type !== 'allowed_tools' || !allowed) return choice
  const tools = allowed.tools.map((tool) => (tool.function ? { type: tool.type, name: tool.function.name } : tool))
  return { type, mode: allowed.mode, tools }
}
