import { PresetVersion } from '#gateway/presets/preset.ts'
import { getVersion } from '#gateway/presets/read-presets.ts'
import { z } from '#platform/json/schema.ts'
import { presetScope } from '../../access/preset-scope.ts'
import { route } from '../route.ts'
import { VersionPath } from './path.ts'

export const getPresetVersion = route({
  method: 'get',
  path: '/presets/{slug}/versions/{version}',
  tag: 'presets',
  key: 'any',
  summary: 'One version of a preset',
  description: 'The configuration as it was saved. Versions never change.',
  request: { params: VersionPath },
  response: z.object({ data: PresetVersion }),
  faults: ['invalid', 'unauthenticated', 'not_found'],
  handler: async ({ params: { slug, version }, caller }, deps) => ({
    data: await getVersion(deps, await presetScope(deps, caller), slug, version),
  }),
})
