import { NewKey } from '#identity/accounts/keys/key.ts'
import { createKey } from '#identity/accounts/keys/keys.ts'
import { z } from '#platform/json/schema.ts'
import { route } from '../route.ts'
import { Key, toKeyResponse } from './key.ts'

export const createKeyRoute = route({
  method: 'post',
  path: '/keys',
  tag: 'keys',
  key: 'management',
  roles: ['owner', 'admin', 'developer'],
  summary: 'Create a key',
  description: '`key` is the secret. It is returned only once: only its hash is stored.',
  request: { body: NewKey },
  status: 201,
  response: z.object({ data: Key, key: z.string() }),
  faults: ['invalid', 'unauthenticated', 'forbidden', 'unsupported_media_type'],
  handler: async ({ body, caller }, deps) => {
    const { key, secret } = await createKey(deps, caller, body)
    return { data: await toKeyResponse(deps, caller, key), key: secret }
  },
})
