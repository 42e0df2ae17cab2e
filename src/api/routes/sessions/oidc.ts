import type { OidcClient } from '#identity/sign-in/oidc-client.ts'
import { deriveFlow, newFlowSecret } from '#identity/sign-in/oidc-flow.ts'
import { rootPath } from '#platform/config/public-url.ts'
import { Fault } from '#platform/core/fault.ts'
import { HttpResponse } from '#platform/http/route.ts'
import { z } from '#platform/json/schema.ts'
import { flowCookie, hasSignedOut, type Site, toConsolePath } from '../../access/flow-cookie.ts'
import { apiPrefix } from '../../access/prefix.ts'
import { route } from '../route.ts'

export const getOidcSignIn = route({
  method: 'get',
  path: '/sessions/oidc',
  tag: 'sessions',
  key: 'none',
  summary: 'Start an OpenID Connect sign-in',
  description: 'For browsers. Redirects to the issuer, which redirects back to `/sessions/oidc/callback`.',
  request: {
    query: z.object({
      return_to: z
        .string()
        .optional()
        .describe(
          'The page of the console to open afterwards, such as `/requests?last=1h`. Defaults to the first page.',
        ),
    }),
  },
  status: 303,
  mediaTypes: ['text/html'],
  headers: { success: ['location', 'set-cookie'] },
  faults: ['invalid', 'not_found', 'unavailable'],
  handler: async ({ raw, query }, deps) => {
    const client = requireOidcClient(deps)
    const { origin } = deps.connectionOf(raw)
    const site = { origin, root: rootPath(deps.config) }
    const returnTo = toConsolePath(query.return_to ?? '/', origin)
    if (returnTo === undefined)
      throw new Fault(
        'invalid',
        'Invalid request: return_to: must be the path of a page of the console, such as /requests',
      )
    const secret = newFlowSecret()
    const location = await client.authorizationUrl(secret, redirectUri(site), {
      promptsForAccount: hasSignedOut(raw.headers.cookie, origin),
    })
    return new HttpResponse(303, {
      location,
      'set-cookie': flowCookie(site, deriveFlow(secret).state, { secret, returnTo }),
      'cache-control': 'no-store',
    })
  },
})

export const redirectUri = ({ origin, root }: Site) => `${origin}${root}${apiPrefix}/sessions/oidc/callback`

/** @throws Fault `not_found` if no issuer is configured. */
export function requireOidcClient({ oidcClient }: { oidcClient: OidcClient | undefined }): OidcClient {
  if (oidcClient) return oidcClient
  throw new Fault('not_found', 'OpenID Connect is not configured: the setting oidc_issuer is empty.')
}
