import { designateVersion } from '#gateway/presets/change-preset.ts'
import { PresetWithVersion } from '#gateway/presets/preset.ts'
import { z } from '#platform/json/schema.ts'
import { presetEntity } from '../entities.ts'
import { NoBody } from '../no-body.ts'
import { route } from '../route.ts'
import { callerInWorkspace, StrictPresetWorkspace, VersionParams } from './route-fields.ts'

export const designatePresetVersion = route({
  method: 'post',
  path: '/presets/{slug}/versions/{version}/designate',
  tag: 'presets',
  key: 'management',
  summary: 'Select the version of a preset that requests use',
  description: 'Requests that name the preset use this version from now on. Versions are not changed or removed.',
  request: { params: VersionParams, query: StrictPresetWorkspace, body: NoBody },
  response: z.object({ data: PresetWithVersion }),
  etag: presetEntity,
  ifMatch: presetEntity,
  faults: ['invalid', 'unauthenticated', 'forbidden', 'not_found', 'conflict'],
  handler: async ({ params: { slug, version }, query, caller }, deps) => ({
    data: await designateVersion(deps, await callerInWorkspace(deps, caller, query), slug, version),
  }),
})
