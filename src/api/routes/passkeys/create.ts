import { addPasskey } from '#identity/passkeys/add-passkey.ts'
import { requireRelyingParty } from '#identity/passkeys/relying-party.ts'
import { accessRoles } from '#platform/core/vocabulary.ts'
import { z } from '#platform/json/schema.ts'
import { strictFields } from '#platform/json/strict-fields.ts'
import { route } from '../route.ts'
import { CreatedCredential } from './credentials.ts'
import { Passkey, PasskeyName, requireMemberSession, toPasskeyResponse } from './passkey.ts'

export const createPasskey = route({
  method: 'post',
  path: '/passkeys',
  tag: 'passkeys',
  key: 'any',
  scope: 'organization',
  roles: accessRoles,
  summary: 'Add a passkey to the signed-in member',
  description: 'Needs a browser session. A member has at most 20 passkeys.',
  request: {
    body: strictFields({ name: PasskeyName, response: CreatedCredential }).meta({ id: 'NewPasskey' }),
  },
  status: 201,
  response: z.object({ data: Passkey }),
  faults: ['invalid', 'unauthenticated', 'forbidden', 'conflict', 'unsupported_media_type'],
  handler: async ({ caller, raw, body }, deps) => {
    requireMemberSession(caller)
    const relyingParty = requireRelyingParty(deps.config, deps.connectionOf(raw).origin)
    return { data: toPasskeyResponse(await addPasskey(deps, caller, relyingParty, body)) }
  },
})
