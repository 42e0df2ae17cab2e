import { changePreset } from '#gateway/presets/change-preset.ts'
import { PresetPatch, PresetWithVersion } from '#gateway/presets/preset.ts'
import { z } from '#platform/json/schema.ts'
import { presetEntity } from '../entities.ts'
import { route } from '../route.ts'
import { PresetParams } from './route-fields.ts'

export const updatePreset = route({
  method: 'patch',
  path: '/presets/{slug}',
  tag: 'presets',
  key: 'management',
  summary: 'Update the name, description or status of a preset',
  description: 'Versions do not change. Missing fields stay unchanged.',
  request: { params: PresetParams, body: PresetPatch },
  response: z.object({ data: PresetWithVersion }),
  etag: presetEntity,
  ifMatch: presetEntity,
  faults: ['invalid', 'unauthenticated', 'forbidden', 'not_found', 'conflict'],
  handler: async ({ params, body, caller }, deps) => ({ data: await changePreset(deps, caller, params.slug, body) }),
})
