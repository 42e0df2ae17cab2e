import { deleteKey } from '#identity/accounts/keys/keys.ts'
import { z } from '#platform/json/schema.ts'
import { keyEntity } from '../entities.ts'
import { route } from '../route.ts'
import { KeyParams } from './key.ts'

export const deleteKeyRoute = route({
  method: 'delete',
  path: '/keys/{hash}',
  tag: 'keys',
  key: 'management',
  roles: ['owner', 'admin', 'developer'],
  summary: 'Delete a key',
  description:
    'The key stops working immediately on this server, and within a second on other servers. A management key can be deleted only if another management key is valid for at least the same time.',
  request: { params: KeyParams },
  response: z.object({ deleted: z.literal(true) }),
  ifMatch: keyEntity,
  faults: ['unauthenticated', 'forbidden', 'not_found', 'conflict'],
  handler: async ({ params, caller }, deps) => {
    await deleteKey(deps, caller, params.hash)
    return { deleted: true as const }
  },
})
