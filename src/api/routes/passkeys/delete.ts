import { deletePasskey } from '#identity/passkeys/change-passkey.ts'
import { accessRoles } from '#platform/core/vocabulary.ts'
import { z } from '#platform/json/schema.ts'
import { route } from '../route.ts'
import { PasskeyParams, passkeyScope } from './passkey.ts'

export const deletePasskeyRoute = route({
  method: 'delete',
  path: '/passkeys/{id}',
  tag: 'passkeys',
  key: 'any',
  scope: 'organization',
  roles: accessRoles,
  summary: 'Delete a passkey',
  description:
    'The passkey can no longer sign in, and its sessions end: immediately on this server, within a second on others.',
  request: { params: PasskeyParams },
  response: z.object({ deleted: z.literal(true), ended_sessions: z.number().int() }),
  faults: ['unauthenticated', 'forbidden', 'not_found'],
  handler: async ({ params, caller }, deps) => {
    const ended = await deletePasskey(deps, caller, passkeyScope(caller), params.id)
    return { deleted: true as const, ended_sessions: ended }
  },
})
