import { ResponsesRequest } from '#chat/responses-request.ts'
import { PresetWithVersion } from '#gateway/presets/preset.ts'
import { settingsFromResponses } from '#gateway/presets/preset-settings.ts'
import { savePreset } from '#gateway/presets/save-preset.ts'
import { z } from '#platform/json/schema.ts'
import { presetEntity } from '../entities.ts'
import { route } from '../route.ts'
import { callerInWorkspace, PresetParams, PresetWorkspace } from './route-fields.ts'

export const savePresetFromResponses = route({
  method: 'post',
  path: '/presets/{slug}/responses',
  tag: 'presets',
  key: 'management',
  summary: 'Create a preset, or its next version, from a responses-style request body',
  description:
    'The body is a request for `POST /responses`. Its configuration becomes a new version, which requests use from now on. The input is not stored.',
  request: { params: PresetParams, query: PresetWorkspace, body: ResponsesRequest },
  response: z.object({ data: PresetWithVersion }),
  etag: presetEntity,
  ifMatch: presetEntity,
  faults: ['invalid', 'unauthenticated', 'forbidden', 'not_found', 'conflict'],
  undeclaredBodyFault: 'invalid',
  handler: async ({ params, query, body, caller }, deps) => ({
    data: await savePreset(
      deps,
      await callerInWorkspace(deps, caller, query),
      params.slug,
      settingsFromResponses(body),
    ),
  }),
})
