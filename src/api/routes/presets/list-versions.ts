import { PresetVersion } from '#gateway/presets/preset.ts'
import { listVersions } from '#gateway/presets/read-presets.ts'
import { PageQuery, pageOf } from '#platform/json/page.ts'
import { presetScope } from '../../access/preset-scope.ts'
import { route } from '../route.ts'
import { callerInWorkspace, PresetParams, PresetWorkspace } from './route-fields.ts'

export const listPresetVersions = route({
  method: 'get',
  path: '/presets/{slug}/versions',
  tag: 'presets',
  key: 'any',
  summary: 'List the versions of a preset, oldest first',
  description: 'Sorted by version number, with their configurations.',
  request: { params: PresetParams, query: PageQuery.extend(PresetWorkspace.shape) },
  response: pageOf(PresetVersion),
  faults: ['invalid', 'unauthenticated', 'forbidden', 'not_found'],
  handler: async ({ params, query, caller }, deps) =>
    listVersions(deps, await presetScope(deps, await callerInWorkspace(deps, caller, query)), params.slug, query),
})
