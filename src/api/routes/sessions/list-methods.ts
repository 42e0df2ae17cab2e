import { signInMethods } from '#identity/sign-in/session.ts'
import { z } from '#platform/json/schema.ts'
import { route } from '../route.ts'

export const listSignInMethods = route({
  method: 'get',
  path: '/sessions/methods',
  tag: 'sessions',
  key: 'none',
  summary: 'How a browser can sign in here',
  description:
    'With a key and with a link always, by OpenID Connect (`GET /sessions/oidc`) where the settings name an issuer.',
  response: z.object({ data: z.array(z.enum(signInMethods)) }),
  faults: [],
  handler: async (_call, { oidc }) => ({ data: signInMethods.filter((method) => method !== 'oidc' || oidc) }),
})
