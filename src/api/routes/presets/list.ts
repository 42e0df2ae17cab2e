import { Preset } from '#gateway/presets/preset.ts'
import { listPresets } from '#gateway/presets/read-presets.ts'
import { PageQuery, pageOf } from '#platform/json/page.ts'
import { presetScope } from '../../access/preset-scope.ts'
import { route } from '../route.ts'
import { callerInWorkspace, PresetWorkspace } from './route-fields.ts'

export const listPresetsRoute = route({
  method: 'get',
  path: '/presets',
  tag: 'presets',
  key: 'any',
  summary: 'List the presets of the workspace, most recently updated first',
  description: 'Includes disabled and archived ones, without their versions.',
  request: { query: PageQuery.extend(PresetWorkspace.shape) },
  response: pageOf(Preset),
  faults: ['invalid', 'unauthenticated', 'forbidden'],
  handler: async ({ query, caller }, deps) =>
    listPresets(deps, await presetScope(deps, await callerInWorkspace(deps, caller, query)), query),
})
