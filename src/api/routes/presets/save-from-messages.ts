import { MessagesPresetBody, settingsFromMessages } from '#gateway/presets/from-messages.ts'
import { PresetWithVersion } from '#gateway/presets/preset.ts'
import { savePreset } from '#gateway/presets/save-preset.ts'
import { z } from '#platform/json/schema.ts'
import { presetEntity } from '../entities.ts'
import { route } from '../route.ts'
import { callerInWorkspace, PresetParams, StrictPresetWorkspace } from './route-fields.ts'

export const savePresetFromMessages = route({
  method: 'post',
  path: '/presets/{slug}/messages',
  tag: 'presets',
  key: 'management',
  summary: 'Create a preset, or its next version, from a messages request body',
  description:
    'The body is a request for `POST /messages`. Its configuration becomes a new version, which requests use from now on. The messages are not stored.',
  request: { params: PresetParams, query: StrictPresetWorkspace, body: MessagesPresetBody },
  response: z.object({ data: PresetWithVersion }),
  etag: presetEntity,
  ifMatch: presetEntity,
  faults: ['invalid', 'unauthenticated', 'forbidden', 'conflict'],
  handler: async ({ params, query, body, caller }, deps) => ({
    data: await savePreset(deps, await callerInWorkspace(deps, caller, query), params.slug, settingsFromMessages(body)),
  }),
})
