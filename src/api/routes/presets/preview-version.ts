import { NewPresetVersion } from '#gateway/presets/version-request.ts'
import { previewVersion } from '#gateway/request/preset-preview.ts'
import { z } from '#platform/json/schema.ts'
import { presetScope } from '../../access/preset-scope.ts'
import { route } from '../route.ts'
import { callerInWorkspace, PresetParams, StrictPresetWorkspace } from './route-fields.ts'

const Preview = z
  .object({
    system_prompt: z.string().nullable(),
    config: z.record(z.string(), z.unknown()),
    skipped_fields: z.array(z.string()).describe('The fields of the request that a version does not store.'),
    chat: z
      .record(z.string(), z.unknown())
      .describe('The body for `POST /chat/completions` that has the same effect. Add `messages` of a user to try it.'),
  })
  .meta({ id: 'PresetPreview', description: 'A version that is not saved.' })

export const previewPresetVersion = route({
  method: 'post',
  path: '/presets/{slug}/preview',
  tag: 'presets',
  key: 'management',
  summary: 'Check a version of a preset without saving it',
  description:
    'Takes the body of `POST /presets/{slug}/versions`, and stores nothing. The preset does not have to exist.',
  request: { params: PresetParams, query: StrictPresetWorkspace, body: NewPresetVersion },
  response: z.object({ data: Preview }),
  faults: ['invalid', 'unauthenticated', 'forbidden', 'not_found'],
  handler: async ({ query, body, caller }, deps) => {
    const scope = await presetScope(deps, await callerInWorkspace(deps, caller, query))
    return { data: await previewVersion(deps, scope, body) }
  },
})
