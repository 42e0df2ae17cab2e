import { createRegistrationOptions } from '#identity/passkeys/add-passkey.ts'
import { requireRelyingParty } from '#identity/passkeys/relying-party.ts'
import { accessRoles } from '#platform/core/vocabulary.ts'
import { z } from '#platform/json/schema.ts'
import { route } from '../route.ts'
import { requireMemberSession } from './passkey.ts'

export const createPasskeyOptions = route({
  method: 'post',
  path: '/passkeys/options',
  tag: 'passkeys',
  key: 'any',
  scope: 'organization',
  roles: accessRoles,
  summary: 'Create the options for a new passkey',
  description:
    'For browsers: the argument of `PublicKeyCredential.parseCreationOptionsFromJSON()`. The challenge is valid once, for five minutes.',
  response: z.object({
    data: z
      .looseObject({ challenge: z.string() })
      .meta({ id: 'PasskeyOptions', description: 'WebAuthn options as JSON.' }),
  }),
  faults: ['unauthenticated', 'forbidden', 'conflict'],
  handler: async ({ caller, raw }, deps) => {
    requireMemberSession(caller)
    const relyingParty = requireRelyingParty(deps.config, deps.connectionOf(raw).origin)
    return { data: await createRegistrationOptions(deps, caller, relyingParty) }
  },
})
