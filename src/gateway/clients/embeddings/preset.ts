import { withoutNulls } from '#platform/json/without-nulls.ts'
import type { PresetStyle } from '../../presets/apply-preset.ts'

/** Only the models and the preferences of a preset apply. Its system prompt and other settings are for chats. */
export const embeddingsPreset: PresetStyle = {
  toBodyFields: ({ model, models, provider, route }) => withoutNulls({ model, models, provider, route }),
  withPrompt: () => ({}),
}
