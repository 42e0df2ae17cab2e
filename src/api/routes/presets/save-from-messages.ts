import { z } from 'zod'
import { MessagesPresetBody, settingsFromMessages } from '#presets/from-messages.ts'
import { PresetWithVersion } from '#presets/preset.ts'
import { savePreset } from '#presets/save.ts'
import { route } from '../../route.ts'
import { PresetPath } from './path.ts'

export const savePresetFromMessages = route({
  method: 'post',
  path: '/presets/{slug}/messages',
  tag: 'presets',
  key: 'management',
  summary: 'Create a preset, or its next version, from a messages request body',
  request: { params: PresetPath, body: MessagesPresetBody },
  response: z.object({ data: PresetWithVersion }),
  faults: ['invalid', 'unauthenticated', 'forbidden', 'conflict'],
  handler: async ({ params, body, caller }, deps) => ({
    data: await savePreset(deps, caller, params.slug, settingsFromMessages(body)),
  }),
})
