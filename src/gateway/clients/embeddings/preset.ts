import { withoutNulls } from '#platform/json/without-nulls.ts'
import type { PresetAdapter } from '../../presets/apply-preset.ts'

/** Applies only the models and the preferences of a preset. The system prompt and other settings of the preset are for chats. */
export const embeddingsPreset: PresetAdapter = {
  toBodyFields: ({ model, models, provider, route }) => withoutNulls({ model, models, provider, route }),
  withPrompt: () => ({}),
}
