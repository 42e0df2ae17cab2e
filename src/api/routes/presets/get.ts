import { PresetWithVersion } from '#gateway/presets/preset.ts'
import { getPreset } from '#gateway/presets/read-presets.ts'
import { z } from '#platform/json/schema.ts'
import { presetScope } from '../../access/preset-scope.ts'
import { presetEntity } from '../entities.ts'
import { route } from '../route.ts'
import { callerInWorkspace, PresetParams, PresetWorkspace } from './route-fields.ts'

export const getPresetRoute = route({
  method: 'get',
  path: '/presets/{slug}',
  tag: 'presets',
  key: 'any',
  summary: 'Get a preset with its designated version',
  description: 'Requests that name the preset use the designated version.',
  request: { params: PresetParams, query: PresetWorkspace },
  response: z.object({ data: PresetWithVersion }),
  etag: presetEntity,
  faults: ['invalid', 'unauthenticated', 'forbidden', 'not_found'],
  handler: async ({ params, query, caller }, deps) => ({
    data: await getPreset(deps, await presetScope(deps, await callerInWorkspace(deps, caller, query)), params.slug),
  }),
})
