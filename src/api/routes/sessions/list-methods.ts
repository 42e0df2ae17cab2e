import { findRelyingParty } from '#identity/passkeys/relying-party.ts'
import { signInMethods } from '#identity/sign-in/session.ts'
import { z } from '#platform/json/schema.ts'
import { route } from '../route.ts'

export const listSignInMethods = route({
  method: 'get',
  path: '/sessions/methods',
  tag: 'sessions',
  key: 'none',
  summary: 'List the sign-in methods',
  description:
    'Keys and sign-in links are always available. OpenID Connect (`GET /sessions/oidc`) needs an issuer in the settings, and passkeys need a host name with TLS or localhost.',
  response: z.object({ data: z.array(z.enum(signInMethods)) }),
  faults: [],
  handler: async ({ raw }, { oidcClient, config, connectionOf }) => {
    const hasPasskeys = findRelyingParty(config, connectionOf(raw).origin) !== undefined
    const isOffered = { key: true, link: true, oidc: oidcClient !== undefined, passkey: hasPasskeys }
    return { data: signInMethods.filter((method) => isOffered[method]) }
  },
})
