import { SavedPresetVersion } from '#gateway/presets/preset.ts'
import { saveVersion } from '#gateway/presets/save-preset.ts'
import { NewPresetVersion, resolveNewVersion } from '#gateway/presets/version-request.ts'
import { z } from '#platform/json/schema.ts'
import { presetScope } from '../../access/preset-scope.ts'
import { presetEntity } from '../entities.ts'
import { route } from '../route.ts'
import { callerInWorkspace, PresetParams, StrictPresetWorkspace } from './route-fields.ts'

export const savePresetVersion = route({
  method: 'post',
  path: '/presets/{slug}/versions',
  tag: 'presets',
  key: 'management',
  summary: 'Save a version of a preset without designating it',
  description:
    'Requests keep using the current version until this one is designated. The preset is created if it does not exist; its first version is designated. If the body names a preset, its configuration is included, and the fields of the body take precedence.',
  request: { params: PresetParams, query: StrictPresetWorkspace, body: NewPresetVersion },
  response: z.object({ data: SavedPresetVersion }),
  ifMatch: presetEntity,
  faults: ['invalid', 'unauthenticated', 'forbidden', 'not_found', 'conflict'],
  handler: async ({ params, query, body, caller }, deps) => {
    const workspaceCaller = await callerInWorkspace(deps, caller, query)
    const { settings, skippedFields } = await resolveNewVersion(deps, await presetScope(deps, workspaceCaller), body)
    const { version, isDesignated } = await saveVersion(deps, workspaceCaller, params.slug, settings)
    return { data: { ...version, is_designated: isDesignated, skipped_fields: skippedFields } }
  },
})
