import { requireRelyingParty } from '#identity/passkeys/relying-party.ts'
import { passkeySignInOptions } from '#identity/passkeys/sign-in-with-passkey.ts'
import { z } from '#platform/json/schema.ts'
import { refuseOtherOrigins } from '../../access/same-origin.ts'
import { route } from '../route.ts'

export const createPasskeySignInOptions = route({
  method: 'post',
  path: '/sessions/passkeys/options',
  tag: 'sessions',
  key: 'none',
  summary: 'Create the options for a sign-in with a passkey',
  description:
    'For browsers: the argument of `PublicKeyCredential.parseRequestOptionsFromJSON()`. Send the response of the authenticator as `passkey` to `POST /sessions`. The challenge is valid once, for five minutes.',
  response: z.object({
    data: z
      .looseObject({ challenge: z.string() })
      .meta({ id: 'PasskeySignInOptions', description: 'WebAuthn options as JSON.' }),
  }),
  faults: ['forbidden', 'conflict', 'rate_limited'],
  handler: async ({ headers, raw }, deps) => {
    const { origin, address } = deps.connectionOf(raw)
    refuseOtherOrigins(headers, origin)
    const relyingParty = requireRelyingParty(deps.config, origin)
    deps.challengeLimit.count(address)
    return { data: await passkeySignInOptions(deps, relyingParty) }
  },
})
