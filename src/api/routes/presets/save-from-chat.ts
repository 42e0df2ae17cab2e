import { ChatPresetBody, settingsFromChat } from '#gateway/presets/from-chat.ts'
import { PresetWithVersion } from '#gateway/presets/preset.ts'
import { savePreset } from '#gateway/presets/save-preset.ts'
import { z } from '#platform/json/schema.ts'
import { presetEntity } from '../entities.ts'
import { route } from '../route.ts'
import { callerInWorkspace, PresetParams, StrictPresetWorkspace } from './route-fields.ts'

export const savePresetFromChat = route({
  method: 'post',
  path: '/presets/{slug}/chat/completions',
  tag: 'presets',
  key: 'management',
  summary: 'Create a preset, or its next version, from a chat-completions request body',
  description:
    'The body is a request for `POST /chat/completions`. Its configuration becomes a new version, which requests use from now on. The messages are not stored.',
  request: { params: PresetParams, query: StrictPresetWorkspace, body: ChatPresetBody },
  response: z.object({ data: PresetWithVersion }),
  etag: presetEntity,
  ifMatch: presetEntity,
  faults: ['invalid', 'unauthenticated', 'forbidden', 'conflict'],
  handler: async ({ params, query, body, caller }, deps) => ({
    data: await savePreset(deps, await callerInWorkspace(deps, caller, query), params.slug, settingsFromChat(body)),
  }),
})
