import type { ClientAuth, Configuration, TokenEndpointResponse } from 'openid-client'
import { hourMs, type Now } from '#platform/core/clock.ts'
import { explainTlsOrProxyFailure } from '#platform/core/connection-failure.ts'
import { Fault } from '#platform/core/fault.ts'
import { lazyModules } from '#platform/process/lazy-modules.ts'
import { limitIssuerResponses } from '../issuer-fetch.ts'
import { clientAuthentication, type TokenAuthMethod } from './oidc-client-authentication.ts'
import { deriveFlow } from './oidc-flow.ts'

type OidcSettings = {
  oidc_issuer: string
  oidc_client_id: string
  oidc_client_secret?: string | undefined
  oidc_token_auth_method: TokenAuthMethod
  oidc_scopes: string
}

/**
 * The claims of the ID token. Its signature is not checked: it came from the token endpoint itself, over TLS (OpenID Connect
 * Core 3.1.3.7).
 */
export type Claims = { iss: string; sub: string; [name: string]: unknown }

/** The issuer's claims about an account, by source. Related claims must come from the same source. */
export type IssuerResponse = {
  idToken: Claims
  /** Undefined if the endpoint is missing or failed. */
  userInfo: Readonly<Record<string, unknown>> | undefined
  /** Whether there is a user-info endpoint and it failed, so that claims may be missing. */
  isIncomplete: boolean
}

/** A client of the issuer that uses the authorization code flow with PKCE, state and nonce. */
export type OidcClient = {
  /**
   * Returns the address to which the browser is redirected.
   * @param secret the value of the browser's flow cookie.
   */
  authorizationUrl: (secret: string, redirectUri: string, options?: { promptsForAccount: boolean }) => Promise<string>
  /**
   * Returns the claims about the account that signed in.
   * @param callbackUrl the URL to which the issuer redirected the browser, with its query.
   * @throws Fault `unauthenticated` if state, nonce or another check fails.
   */
  readClaims: (secret: string, callbackUrl: URL) => Promise<IssuerResponse>
  /** Returns the URL that ends the session at the issuer; undefined if the issuer does not support it. */
  endSessionUrl: (returnTo: string) => Promise<string | undefined>
  /** Reads the issuer's metadata once, so that a wrong setting is logged at the start. Never rejects. */
  checkIssuer: () => Promise<void>
}

/** How long the issuer's metadata is cached. */
const cacheMs = hourMs
/** The time limit of requests to the issuer. */
const timeoutSeconds = 10

export function createOidcClient(
  settings: OidcSettings,
  { now, fetch, onError }: { now: Now; fetch: typeof globalThis.fetch; onError: (error: Error) => void },
): OidcClient {
  let cached: { configuration: Promise<Configuration>; at: number } | undefined

  async function configuration(): Promise<Configuration> {
    // A negative age: the system time was set back.
    if (!cached || Math.abs(now() - cached.at) > cacheMs) {
      const entry = { configuration: discover(settings, fetch), at: now() }
      entry.configuration.catch(() => {
        if (cached === entry) cached = undefined
      })
      cached = entry
    }
    return cached.configuration.catch(rethrowAsFault)
  }

  function rethrowAsFault(error: Error): never {
    const fault = discoveryFault(error, settings.oidc_issuer)
    onError(new Error(fault.message, { cause: error }))
    throw fault
  }

  return {
    async authorizationUrl(secret, redirect_uri, { promptsForAccount } = { promptsForAccount: false }) {
      const { buildAuthorizationUrl, calculatePKCECodeChallenge } = lazyModules.openIdClient()
      const { state, nonce, verifier } = deriveFlow(secret)
      const code_challenge = await calculatePKCECodeChallenge(verifier)
      const issuer = await configuration()
      return buildAuthorizationUrl(issuer, {
        redirect_uri,
        scope: settings.oidc_scopes,
        state,
        nonce,
        code_challenge,
        code_challenge_method: 'S256',
        ...(promptsForAccount && { prompt: accountPrompt(issuer) }),
      }).href
    },
    async readClaims(secret, callbackUrl) {
      const { authorizationCodeGrant } = lazyModules.openIdClient()
      const { state, nonce, verifier } = deriveFlow(secret)
      const issuer = await configuration()
      const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true }
      try {
        const tokens = await authorizationCodeGrant(issuer, callbackUrl, checks)
        const idToken = tokens.claims()
        if (!idToken) throw new Error('The token response has no ID token.')
        return { idToken, ...(await readUserInfo(issuer, tokens, idToken.sub, onError)) }
      } catch (error) {
        onError(error as Error)
        throw new Fault('unauthenticated', explainRefusal(error as Error))
      }
    },
    async endSessionUrl(post_logout_redirect_uri) {
      const issuer = await configuration()
      const endpoint = issuer.serverMetadata().end_session_endpoint
      // The console navigates to this URL, so `javascript:` would run in it.
      if (!isHttpUrl(endpoint)) return undefined
      return lazyModules.openIdClient().buildEndSessionUrl(issuer, { post_logout_redirect_uri }).href
    },
    checkIssuer: () => discover(settings, fetch).catch(rethrowAsFault).then(ignoreResult, ignoreResult),
  }
}

const ignoreResult = () => undefined

/**
 * Reads the claims of the user-info endpoint. If it fails, the sign-in continues with the ID token alone.
 * @throws Error if the endpoint describes another account.
 */
async function readUserInfo(
  issuer: Configuration,
  tokens: TokenEndpointResponse,
  subject: string,
  onError: (error: Error) => void,
): Promise<Pick<IssuerResponse, 'userInfo' | 'isIncomplete'>> {
  if (issuer.serverMetadata().userinfo_endpoint === undefined) return { userInfo: undefined, isIncomplete: false }
  const oidc = lazyModules.openIdClient()
  try {
    const claims = await oidc.fetchUserInfo(issuer, tokens.access_token, oidc.skipSubjectCheck)
    if (claims.sub === subject) return { userInfo: claims, isIncomplete: false }
  } catch (error) {
    onError(new Error('the user-info endpoint failed; signing in by the ID token alone', { cause: error }))
    return { userInfo: undefined, isIncomplete: true }
  }
  throw new Error('the user-info endpoint describes another "sub" than the ID token')
}

/** The `prompt` with which the issuer asks for the account after a sign-out. Some issuers support only `login`. */
function accountPrompt(issuer: Configuration): string {
  const supported = issuer.serverMetadata().prompt_values_supported
  const isUnsupported = Array.isArray(supported) && !supported.includes('select_account')
  return isUnsupported ? 'login' : 'select_account'
}

/** Explains why a sign-in failed. The issuer's own error, such as `access_denied`, names what to change there. */
function explainRefusal(error: Error): string {
  const { code, error: name, error_description: description } = error as Error & Record<string, unknown>
  if (typeof name === 'string') {
    const detail = typeof description === 'string' ? ` (${description.slice(0, 300)})` : ''
    return `The issuer refused this sign-in: ${name.slice(0, 100)}${detail}.`
  }
  return code === 'OAUTH_JWT_TIMESTAMP_CHECK_FAILED'
    ? 'The token of the issuer is not valid at this time. Check the clocks of the issuer and of this service.'
    : 'The issuer did not sign you in, or its response does not match this sign-in.'
}

const isHttpUrl = (url: unknown): boolean => typeof url === 'string' && /^https?:$/.test(URL.parse(url)?.protocol ?? '')

/** The code of an error whose message names what the description of an issuer lacks. */
const incompleteDescription = 'INCOMPLETE_DESCRIPTION'

/** Returns what an address that is not an issuer answered; undefined for a failure that can be temporary. */
function findWrongResponse(error: Error): string | undefined {
  const { code, cause } = error as Error & { code?: string }
  switch (code) {
    case incompleteDescription:
      return error.message
    case 'OAUTH_RESPONSE_IS_NOT_CONFORM': {
      // Without a status, the failure counts as temporary.
      const { status = 500 } = (cause ?? {}) as { status?: number }
      return status < 500 && status !== 429 ? `the HTTP status ${status}` : undefined
    }
    case 'OAUTH_RESPONSE_IS_NOT_JSON':
    case 'OAUTH_PARSE_ERROR':
    case 'OAUTH_INVALID_RESPONSE':
      return 'something other than the description of an issuer'
    default:
      return undefined
  }
}

function discoveryFault(error: Error, issuerSetting: string): Fault {
  const { attribute, body } = (error.cause ?? {}) as { attribute?: string; body?: { issuer?: unknown } }
  if (attribute === 'issuer') {
    const actual = JSON.stringify(String(body?.issuer)).slice(0, 300)
    return new Fault(
      'unavailable',
      `The setting oidc_issuer is "${issuerSetting}", but the issuer at this address has the name ${actual}. Set oidc_issuer to exactly this name.`,
    )
  }
  const wrongResponse = findWrongResponse(error)
  if (wrongResponse !== undefined) {
    return new Fault(
      'unavailable',
      `The setting oidc_issuer is "${issuerSetting}", but this address followed by "/.well-known/openid-configuration" answers with ${wrongResponse}. Set oidc_issuer to the address of the issuer.`,
    )
  }
  const reason = explainTlsOrProxyFailure(error, new URL(issuerSetting).host)
  return new Fault(
    'unavailable',
    reason === undefined
      ? 'The OpenID Connect issuer cannot be reached now. Try again shortly.'
      : `The OpenID Connect issuer cannot be reached: ${reason}.`,
  )
}

async function discover(settings: OidcSettings, fetch: typeof globalThis.fetch): Promise<Configuration> {
  const { discovery, allowInsecureRequests, customFetch } = lazyModules.openIdClient()
  const { oidc_issuer, oidc_client_id } = settings
  const authentication: ClientAuth = clientAuthentication(settings)
  const isWithoutTls = oidc_issuer.startsWith('http:')
  const configuration = await discovery(new URL(oidc_issuer), oidc_client_id, undefined, authentication, {
    timeout: timeoutSeconds,
    [customFetch]: limitIssuerResponses(fetch),
    ...(isWithoutTls && { execute: [allowInsecureRequests] }),
  })
  const description: Record<string, unknown> = configuration.serverMetadata()
  for (const endpoint of ['authorization_endpoint', 'token_endpoint']) {
    if (isHttpUrl(description[endpoint])) continue
    const error = new Error(`a description without a valid "${endpoint}"`)
    throw Object.assign(error, { code: incompleteDescription })
  }
  return configuration
}
