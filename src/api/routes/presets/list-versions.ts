import { PresetVersion } from '#gateway/presets/preset.ts'
import { listVersions } from '#gateway/presets/read-presets.ts'
import { PageQuery, pageOf } from '#platform/core/page.ts'
import { presetScope } from '../../access/preset-scope.ts'
import { route } from '../route.ts'
import { PresetPath } from './path.ts'

export const listPresetVersions = route({
  method: 'get',
  path: '/presets/{slug}/versions',
  tag: 'presets',
  key: 'any',
  summary: 'The versions of a preset, the oldest first',
  description: 'In the order of their numbers, with what each configures.',
  request: { params: PresetPath, query: PageQuery },
  response: pageOf(PresetVersion),
  faults: ['invalid', 'unauthenticated', 'not_found'],
  handler: async ({ params, query, caller }, deps) =>
    listVersions(deps, await presetScope(deps, caller), params.slug, query),
})
