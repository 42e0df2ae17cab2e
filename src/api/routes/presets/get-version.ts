import { PresetVersion } from '#gateway/presets/preset.ts'
import { getVersion } from '#gateway/presets/read-presets.ts'
import { z } from '#platform/json/schema.ts'
import { presetScope } from '../../access/preset-scope.ts'
import { route } from '../route.ts'
import { callerInWorkspace, PresetWorkspace, VersionParams } from './route-fields.ts'

export const getPresetVersion = route({
  method: 'get',
  path: '/presets/{slug}/versions/{version}',
  tag: 'presets',
  key: 'any',
  summary: 'Get a version of a preset',
  description: 'Returns the configuration as saved. Versions never change.',
  request: { params: VersionParams, query: PresetWorkspace },
  response: z.object({ data: PresetVersion }),
  faults: ['invalid', 'unauthenticated', 'forbidden', 'not_found'],
  handler: async ({ params: { slug, version }, query, caller }, deps) => {
    const scope = await presetScope(deps, await callerInWorkspace(deps, caller, query))
    return { data: await getVersion(deps, scope, slug, version) }
  },
})
