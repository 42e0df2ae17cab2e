import { limitNames } from '#chat/tokens/output-limit.ts'
import { withoutNulls } from '#platform/json/without-nulls.ts'
import type { PresetAdapter } from '../../presets/apply-preset.ts'
import { createForeignFieldFilter, toOpenAiServiceTier } from '../../presets/preset-settings.ts'
import { toResponsesChoice, toResponsesTool } from '../../protocol/tool-conversions.ts'

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

export const responsesPreset: PresetAdapter = {
  toBodyFields: toResponsesFields,
  withPrompt: (prompt, { instructions }) => ({ instructions: instructions ? `${prompt}\n\n${instructions}` : prompt }),
  equivalentFields: { max_output_tokens: limitNames },
  mergedFields: ['text'],
  forUpstream: createForeignFieldFilter(unsupportedFields),
}

/** A preset's configuration in the field names of a responses body. A preset that was saved from a chat has the tools of chats. */
function toResponsesFields({ tools, tool_choice: choice, service_tier, ...config }: Fields): Fields {
  return withoutNulls({
    ...config,
    tools: (tools as Fields[] | null | undefined)?.map(toResponsesTool),
    tool_choice: typeof choice === 'object' && choice !== null ? (toResponsesChoice(choice) ?? choice) : choice,
    service_tier: toOpenAiServiceTier(service_tier),
  })
}
