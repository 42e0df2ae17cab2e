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
    'Keys and sign-in links are always available, OpenID Connect (`GET /sessions/oidc`) if the settings have an issuer.',
  response: z.object({ data: z.array(z.enum(signInMethods)) }),
  faults: [],
  handler: async (_call, { oidc }) => ({ data: signInMethods.filter((method) => method !== 'oidc' || oidc) }),
})
