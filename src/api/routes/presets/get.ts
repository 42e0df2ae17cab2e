import { PresetWithVersion } from '#gateway/presets/preset.ts'
import { getPreset } from '#gateway/presets/read-presets.ts'
import { z } from '#platform/json/schema.ts'
import { presetScope } from '../../access/preset-scope.ts'
import { presetEntity } from '../entities.ts'
import { route } from '../route.ts'
import { PresetPath } from './path.ts'

export const getOnePreset = route({
  method: 'get',
  path: '/presets/{slug}',
  tag: 'presets',
  key: 'any',
  summary: 'Get a preset with its designated version',
  description: 'Returns the preset with its designated version, which requests use.',
  request: { params: PresetPath },
  response: z.object({ data: PresetWithVersion }),
  etag: presetEntity,
  faults: ['invalid', 'unauthenticated', 'not_found'],
  handler: async ({ params, caller }, deps) => ({
    data: await getPreset(deps, await presetScope(deps, caller), params.slug),
  }),
})
