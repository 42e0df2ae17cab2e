import type { OidcClient } from '#identity/sign-in/oidc-client.ts'
import { endSession } from '#identity/sign-in/sign-in.ts'
import { rootPath, siteUrl } from '#platform/config/public-url.ts'
import { accessRoles } from '#platform/core/vocabulary.ts'
import { HttpResponse } from '#platform/http/route.ts'
import { z } from '#platform/json/schema.ts'
import { signedOutCookie } from '../../access/flow-cookie.ts'
import { sessionCookie } from '../../access/session-cookie.ts'
import { route } from '../route.ts'
import { currentSession } from './current.ts'

export const deleteCurrentSession = route({
  method: 'delete',
  path: '/sessions/current',
  tag: 'sessions',
  key: 'any',
  roles: accessRoles,
  summary: 'Sign out',
  description:
    'Ends the session of the calling browser, immediately on this server and within a second on other servers.',
  response: z.object({
    ended: z.literal(true),
    sign_out_url: z
      .string()
      .optional()
      .describe(
        'Open this page to also end the session at the OpenID Connect issuer. Present if `oidc_sign_out` is `issuer`.',
      ),
  }),
  headers: { success: ['set-cookie'] },
  faults: ['unauthenticated', 'forbidden'],
  handler: async ({ caller, raw }, deps) => {
    const { session, origin } = await currentSession(deps, caller, raw)
    await endSession(deps, caller, session.row.id, () => true)
    const ended = sessionCookie(origin, '', 0)
    if (session.row.method !== 'oidc') return new HttpResponse(200, { 'set-cookie': ended }, { ended: true })
    const sign_out_url = await issuerSignOut(deps, siteUrl(deps.config, origin))
    return new HttpResponse(
      200,
      { 'set-cookie': [ended, signedOutCookie({ origin, root: rootPath(deps.config) })] },
      { ended: true, sign_out_url },
    )
  },
})

/**
 * The sign-out page of the issuer, if it was requested and the issuer has one. A sign-out here must not fail because of
 * the issuer.
 */
async function issuerSignOut(
  { oidcClient, config }: { oidcClient: OidcClient | undefined; config: { oidc_sign_out: 'service' | 'issuer' } },
  site: string,
): Promise<string | undefined> {
  if (config.oidc_sign_out === 'service') return undefined
  return oidcClient?.endSessionUrl(`${site}/`).catch(() => undefined)
}
