import { PresetSlug } from '#gateway/presets/preset.ts'
import { z } from '#platform/json/schema.ts'

export const PresetPath = z.object({ slug: PresetSlug })

export const VersionPath = PresetPath.extend({
  version: z
    .string()
    .regex(/^[1-9]\d{0,8}$/, 'must be a whole number, at least 1')
    .transform(Number)
    .describe('The version number.'),
})
