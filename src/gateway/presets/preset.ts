import { z } from '#platform/json/schema.ts'
import { strictFields } from '#platform/json/strict-fields.ts'
import { text } from '#platform/json/text.ts'

const slug = /^[a-z0-9][a-z0-9_-]{0,63}$/

export const isSlug = (name: string) => slug.test(name)

/** The name of a preset in paths and in `@preset/<slug>`. */
export const PresetSlug = z
  .string()
  .regex(slug, 'must be 1 to 64 of a-z, 0-9, "-" and "_", and start with a letter or digit')
  .describe('1 to 64 of `a-z 0-9 - _`, starting with a letter or digit.')

/** Only an `active` preset can be used for inference. */
export const PresetStatus = z.enum(['active', 'disabled', 'archived'])
export type PresetStatus = z.infer<typeof PresetStatus>

export const PresetVersion = z
  .object({
    id: z.uuid(),
    preset_id: z.uuid(),
    version: z.int().describe('1 for the first version.'),
    creator_id: z.string(),
    system_prompt: z.string().nullable(),
    config: z.record(z.string(), z.unknown()).describe('The saved configuration, with the field names of the request.'),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: 'PresetVersion', description: 'A version of a preset. It never changes.' })
export type PresetVersion = z.infer<typeof PresetVersion>

export const SavedPresetVersion = PresetVersion.extend({
  is_designated: z
    .boolean()
    .describe('Whether requests use this version: true for the first version of a new preset only.'),
  skipped_fields: z
    .array(z.string())
    .describe('The fields of the request that are not part of the version, at most 100.'),
}).meta({ id: 'SavedPresetVersion', description: 'The saved version.' })
export type SavedPresetVersion = z.infer<typeof SavedPresetVersion>

export const Preset = z
  .object({
    id: z.uuid(),
    workspace_id: z.uuid(),
    creator_user_id: z.string(),
    name: z.string(),
    slug: z.string(),
    description: z.string().nullable(),
    status: PresetStatus,
    status_updated_at: z.iso.datetime().nullable(),
    designated_version_id: z.uuid(),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: 'Preset', description: 'A named, versioned configuration of requests.' })
export type Preset = z.infer<typeof Preset>

export const PresetWithVersion = Preset.extend({ designated_version: PresetVersion }).meta({
  id: 'PresetWithVersion',
  description: 'A preset with its designated version, which requests use.',
})
export type PresetWithVersion = z.infer<typeof PresetWithVersion>

/** The fields of a preset that can change without a new version. */
export const PresetPatch = strictFields({
  name: text({ min: 1, max: 200 }).optional(),
  description: text({ max: 1000 }).nullable().optional(),
  status: PresetStatus.optional(),
}).meta({ id: 'PresetPatch', description: 'The fields of a preset that can be updated without a new version.' })
export type PresetPatch = z.infer<typeof PresetPatch>
