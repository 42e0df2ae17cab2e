import { KeyPatch } from '#identity/accounts/keys/key.ts'
import { changeKey } from '#identity/accounts/keys/keys.ts'
import { z } from '#platform/json/schema.ts'
import { deleteSpending } from '#spend/budgets/rows/spending-rows.ts'
import { keyEntity } from '../entities.ts'
import { route } from '../route.ts'
import { Key, KeyParams, toKeyResponse } from './key.ts'

export const updateKey = route({
  method: 'patch',
  path: '/keys/{hash}',
  tag: 'keys',
  key: 'management',
  roles: ['owner', 'admin', 'developer'],
  summary: 'Update or disable a key',
  description:
    'Takes effect immediately on this server, and within a second on other servers. A management key can be disabled only if another management key is valid for at least the same time.',
  request: { params: KeyParams, body: KeyPatch },
  response: z.object({ data: Key }),
  etag: keyEntity,
  ifMatch: keyEntity,
  faults: ['invalid', 'unauthenticated', 'forbidden', 'not_found', 'conflict', 'unsupported_media_type'],
  handler: async ({ params, body, caller }, deps) => ({
    data: await toKeyResponse(deps, caller, await changeKey({ ...deps, deleteSpending }, caller, params.hash, body)),
  }),
})
