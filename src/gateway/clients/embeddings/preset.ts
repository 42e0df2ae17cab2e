import { withoutNulls } from '#platform/json/without-nulls.ts'
import type { PresetStyle } from '../../presets/apply-preset.ts'

/** A preset supplies models and preferences. Its system prompt and its other settings are those of chats. */
export const embeddingsPreset: PresetStyle = {
  toBodyFields: ({ model, models, provider, route }) => withoutNulls({ model, models, provider, route }),
  withPrompt: () => ({}),
}
