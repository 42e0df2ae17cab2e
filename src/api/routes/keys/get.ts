import { requireVisible } from '#identity/accounts/keys/key-access.ts'
import { getKey } from '#identity/accounts/keys/keys.ts'
import { z } from '#platform/json/schema.ts'
import { keyEntity } from '../entities.ts'
import { route } from '../route.ts'
import { Key, KeyParams, toKeyResponse } from './key.ts'

export const getKeyRoute = route({
  method: 'get',
  path: '/keys/{hash}',
  tag: 'keys',
  key: 'management',
  roles: ['owner', 'admin', 'developer', 'viewer'],
  summary: 'Get a key',
  description: 'Returns the limit and the spend of the key. The secret is returned only when the key is created.',
  request: { params: KeyParams },
  response: z.object({ data: Key }),
  etag: keyEntity,
  faults: ['unauthenticated', 'forbidden', 'not_found'],
  handler: async ({ params, caller }, deps) => {
    const key = await getKey(deps, caller, params.hash)
    requireVisible(caller, key)
    return { data: await toKeyResponse(deps, caller, key) }
  },
})
