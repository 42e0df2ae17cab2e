import { z } from 'zod'
import { getKey } from '#accounts/keys.ts'
import { route } from '../../route.ts'
import { Key, KeyParams, keyAnswer } from './key.ts'

export const getOneKey = route({
  method: 'get',
  path: '/keys/{hash}',
  tag: 'keys',
  key: 'management',
  summary: 'One key',
  description: 'What the key may spend and has spent. The key itself is shown once only, when it is made.',
  request: { params: KeyParams },
  response: z.object({ data: Key }),
  faults: ['unauthenticated', 'forbidden', 'not_found'],
  handler: async ({ params, caller }, deps) => ({
    data: await keyAnswer(deps, caller, await getKey(deps, caller.organizationId, params.hash)),
  }),
})
