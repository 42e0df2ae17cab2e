import { KeyPatch } from '#identity/accounts/keys/key.ts'
import { changeKey } from '#identity/accounts/keys/keys.ts'
import { z } from '#platform/json/schema.ts'
import { forgetSpending } from '#spend/budgets/rows.ts'
import { route } from '../route.ts'
import { Key, KeyParams, keyAnswer } from './key.ts'

export const updateKey = route({
  method: 'patch',
  path: '/keys/{hash}',
  tag: 'keys',
  key: 'management',
  roles: ['owner', 'admin', 'developer'],
  summary: 'Change or disable a key',
  description:
    'It holds at once on the server that answers, and within a second on every other. The last working management key cannot be disabled.',
  request: { params: KeyParams, body: KeyPatch },
  response: z.object({ data: Key }),
  faults: ['invalid', 'unauthenticated', 'forbidden', 'not_found', 'conflict', 'unsupported_media_type'],
  handler: async ({ params, body, caller }, deps) => ({
    data: await keyAnswer(deps, caller, await changeKey({ ...deps, forgetSpending }, caller, params.hash, body)),
  }),
})
