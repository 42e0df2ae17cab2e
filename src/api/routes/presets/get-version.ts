import { PresetVersion } from '#gateway/presets/preset.ts'
import { getVersion } from '#gateway/presets/read-presets.ts'
import { z } from '#platform/json/schema.ts'
import { presetScope } from '../../access/preset-scope.ts'
import { route } from '../route.ts'
import { VersionParams } from './route-fields.ts'

export const getPresetVersion = route({
  method: 'get',
  path: '/presets/{slug}/versions/{version}',
  tag: 'presets',
  key: 'any',
  summary: 'Get a version of a preset',
  description: 'Returns the configuration as saved. Versions never change.',
  request: { params: VersionParams },
  response: z.object({ data: PresetVersion }),
  faults: ['invalid', 'unauthenticated', 'not_found'],
  handler: async ({ params: { slug, version }, caller }, deps) => ({
    data: await getVersion(deps, await presetScope(deps, caller), slug, version),
  }),
})
