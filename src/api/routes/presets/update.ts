import { changePreset } from '#gateway/presets/change-preset.ts'
import { PresetPatch, PresetWithVersion } from '#gateway/presets/preset.ts'
import { z } from '#platform/json/schema.ts'
import { presetEntity } from '../entities.ts'
import { route } from '../route.ts'
import { callerInWorkspace, PresetParams, StrictPresetWorkspace } from './route-fields.ts'

export const updatePreset = route({
  method: 'patch',
  path: '/presets/{slug}',
  tag: 'presets',
  key: 'management',
  summary: 'Update the name, description or status of a preset',
  description: 'Versions do not change. Missing fields stay unchanged.',
  request: { params: PresetParams, query: StrictPresetWorkspace, body: PresetPatch },
  response: z.object({ data: PresetWithVersion }),
  etag: presetEntity,
  ifMatch: presetEntity,
  faults: ['invalid', 'unauthenticated', 'forbidden', 'not_found', 'conflict'],
  handler: async ({ params, query, body, caller }, deps) => ({
    data: await changePreset(deps, await callerInWorkspace(deps, caller, query), params.slug, body),
  }),
})
