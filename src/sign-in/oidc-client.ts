import type { Configuration } from 'openid-client'
import type { Now } from '#lib/clock.ts'
import { Fault } from '#lib/fault.ts'
import { lazyModules } from '#lib/lazy-modules.ts'
import { flowOf } from './oidc-flow.ts'

export type OidcSettings = {
  oidc_issuer?: string | undefined
  oidc_client_id?: string | undefined
  oidc_client_secret?: string | undefined
  oidc_scopes: string
}

/** What an issuer says of somebody: the claims of the ID token, and of the user info where it has more. */
export type Claims = { iss: string; sub: string; [name: string]: unknown }

/** The protocol with the issuer: Authorization Code with PKCE, state and nonce. Nothing of it is loaded until it is used. */
export type OidcClient = {
  /** Where to send the browser. @param secret what its cookie holds meanwhile. */
  authorizationUrl: (secret: string, redirectUri: string) => Promise<string>
  /**
   * What the issuer says of who comes back.
   * @param returned the address that the issuer sent the browser to, with its query.
   * @throws Fault `unauthenticated` where anything is not as it was begun.
   */
  claimsOf: (secret: string, returned: URL) => Promise<Claims>
}

/** How long what an issuer tells of itself is trusted, and how long it may take to answer. */
const trustedMs = 3_600_000
const timeoutSeconds = 10

export function createOidcClient(
  settings: OidcSettings & { oidc_issuer: string; oidc_client_id: string },
  { now, onError }: { now: Now; onError: (error: Error) => void },
): OidcClient {
  let known: { configuration: Promise<Configuration>; at: number } | undefined

  async function configuration(): Promise<Configuration> {
    if (!known || now() - known.at > trustedMs) {
      const asked = { configuration: discover(settings), at: now() }
      asked.configuration.catch(() => {
        if (known === asked) known = undefined
      })
      known = asked
    }
    return known.configuration.catch((error: Error) => {
      onError(error)
      throw new Fault('unavailable', 'The issuer of OpenID Connect cannot be asked now. Try again shortly.')
    })
  }

  return {
    async authorizationUrl(secret, redirect_uri) {
      const { buildAuthorizationUrl, calculatePKCECodeChallenge } = lazyModules.openIdClient()
      const { state, nonce, verifier } = flowOf(secret)
      const code_challenge = await calculatePKCECodeChallenge(verifier)
      const asked = { redirect_uri, scope: settings.oidc_scopes, state, nonce, code_challenge }
      return buildAuthorizationUrl(await configuration(), { ...asked, code_challenge_method: 'S256' }).href
    },
    async claimsOf(secret, returned) {
      const { authorizationCodeGrant } = lazyModules.openIdClient()
      const { state, nonce, verifier } = flowOf(secret)
      const issuer = await configuration()
      const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true }
      try {
        const tokens = await authorizationCodeGrant(issuer, returned, checks)
        const claims = tokens.claims()!
        return { ...(await userInfo(issuer, tokens.access_token, claims.sub)), ...claims }
      } catch (error) {
        onError(error as Error)
        throw new Fault('unauthenticated', 'The issuer did not sign you in, or what came back is not what was begun.')
      }
    },
  }
}

/** Many issuers tell addresses and groups there alone. What the ID token says counts more. */
async function userInfo(issuer: Configuration, accessToken: string, subject: string): Promise<object> {
  if (issuer.serverMetadata().userinfo_endpoint === undefined) return {}
  return lazyModules.openIdClient().fetchUserInfo(issuer, accessToken, subject)
}

async function discover({
  oidc_issuer,
  oidc_client_id,
  oidc_client_secret,
}: OidcSettings & { oidc_issuer: string; oidc_client_id: string }): Promise<Configuration> {
  const { discovery, allowInsecureRequests, None } = lazyModules.openIdClient()
  const isPlain = oidc_issuer.startsWith('http:')
  return discovery(
    new URL(oidc_issuer),
    oidc_client_id,
    oidc_client_secret,
    oidc_client_secret === undefined ? None() : undefined,
    { timeout: timeoutSeconds, ...(isPlain && { execute: [allowInsecureRequests] }) },
  )
}
