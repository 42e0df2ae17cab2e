import { renamePasskey } from '#identity/passkeys/change-passkey.ts'
import { accessRoles } from '#platform/core/vocabulary.ts'
import { z } from '#platform/json/schema.ts'
import { strictFields } from '#platform/json/strict-fields.ts'
import { route } from '../route.ts'
import { Passkey, PasskeyName, PasskeyParams, passkeyScope, toPasskeyResponse } from './passkey.ts'

export const updatePasskey = route({
  method: 'patch',
  path: '/passkeys/{id}',
  tag: 'passkeys',
  key: 'any',
  scope: 'organization',
  roles: accessRoles,
  summary: 'Rename a passkey',
  description: 'The name is only for people: the authenticator does not know it.',
  request: { params: PasskeyParams, body: strictFields({ name: PasskeyName }).meta({ id: 'PasskeyPatch' }) },
  response: z.object({ data: Passkey }),
  faults: ['invalid', 'unauthenticated', 'forbidden', 'not_found', 'unsupported_media_type'],
  handler: async ({ params, body, caller }, deps) => {
    const row = await renamePasskey(deps, caller, passkeyScope(caller), params.id, body.name)
    return { data: toPasskeyResponse(row) }
  },
})
