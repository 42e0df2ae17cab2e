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
export type IdTokenClaims = { iss: string; sub: string; [name: string]: unknown }

/** The issuer's claims about an account, by source. Related claims must come from the same source. */
export type AccountClaims = {
  idToken: IdTokenClaims
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
   * @throws Fault `unavailable` if the issuer cannot be reached.
   */
  readClaims: (secret: string, callbackUrl: URL) => Promise<AccountClaims>
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

  async function getConfiguration(): Promise<Configuration> {
    // A negative age: the system time was set back.
    if (!cached || Math.abs(now() - cached.at) > cacheMs) {
      const entry = { configuration: discover(settings, fetch), at: now() }
      entry.configuration.catch(() => {
        if (cached === entry) cached = undefined
      })
      cached = entry
    }
    return cached.configuration.catch((error: Error) => {
      throw logDiscoveryError(error)
    })
  }

  function logDiscoveryError(error: Error): Fault {
    const fault = discoveryFault(error, settings.oidc_issuer)
    onError(new Error(fault.message, { cause: error }))
    return fault
  }

  return {
    async authorizationUrl(secret, redirect_uri, { promptsForAccount } = { promptsForAccount: false }) {
      const { buildAuthorizationUrl, calculatePKCECodeChallenge } = lazyModules.openIdClient()
      const { state, nonce, verifier } = deriveFlow(secret)
      const code_challenge = await calculatePKCECodeChallenge(verifier)
      const issuer = await getConfiguration()
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
      const issuer = await getConfiguration()
      const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true }
      try {
        const tokens = await authorizationCodeGrant(issuer, callbackUrl, checks)
        const idToken = tokens.claims()
        if (!idToken) throw new Error('The token response has no ID token.')
        return { idToken, ...(await readUserInfo(issuer, tokens, idToken.sub, onError)) }
      } catch (error) {
        onError(error as Error)
        if (isTransient(error as Error))
          throw unreachableFault(error as Error, issuer.serverMetadata().token_endpoint ?? settings.oidc_issuer)
        throw new Fault('unauthenticated', explainRefusal(error as Error))
      }
    },
    async endSessionUrl(post_logout_redirect_uri) {
      const issuer = await getConfiguration()
      const endpoint = issuer.serverMetadata().end_session_endpoint
      // The console navigates to this URL, so `javascript:` would run in it.
      if (!isHttpUrl(endpoint)) return undefined
      return lazyModules.openIdClient().buildEndSessionUrl(issuer, { post_logout_redirect_uri }).href
    },
    async checkIssuer() {
      await discover(settings, fetch).catch(logDiscoveryError)
    },
  }
}

/**
 * Reads the claims of the user-info endpoint. If it fails, the sign-in continues with the ID token alone.
 * @throws Error if the endpoint describes another account.
 */
async function readUserInfo(
  issuer: Configuration,
  tokens: TokenEndpointResponse,
  subject: string,
  onError: (error: Error) => void,
): Promise<Pick<AccountClaims, 'userInfo' | 'isIncomplete'>> {
  if (issuer.serverMetadata().userinfo_endpoint === undefined) return { userInfo: undefined, isIncomplete: false }
  const oidc = lazyModules.openIdClient()
  try {
    const claims = await oidc.fetchUserInfo(issuer, tokens.access_token, oidc.skipSubjectCheck)
    if (claims.sub === subject) return { userInfo: claims, isIncomplete: false }
  } catch (error) {
    onError(new Error('the user-info endpoint failed; signing in by the ID token alone', { cause: error }))
    return { userInfo: undefined, isIncomplete: true }
  }
  // Outside the `try`: the sign-in must not continue with the claims of another account.
  throw new Error('the user-info endpoint describes another "sub" than the ID token')
}

/** The `prompt` value that makes the issuer ask which account to use. Some issuers support only `login`. */
function accountPrompt(issuer: Configuration): string {
  const supported = issuer.serverMetadata().prompt_values_supported
  const isUnsupported = Array.isArray(supported) && !supported.includes('select_account')
  return isUnsupported ? 'login' : 'select_account'
}

/** Explains why a sign-in failed. The issuer's error, such as `access_denied`, shows what to change at the issuer. */
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

/** The HTTP status of a response that the issuer should not send; 500 if the error has none. */
const statusOf = ({ cause }: Error) => (cause as { status?: number } | undefined)?.status ?? 500

/** Whether a request to the issuer failed on the network, at its time limit, or with the status of an overloaded server. */
function isTransient(error: Error): boolean {
  const { code, cause } = error as Error & { code?: string }
  if (code === 'OAUTH_RESPONSE_IS_NOT_CONFORM') return statusOf(error) >= 500 || statusOf(error) === 429
  // `fetch` throws a TypeError with the error of the connection as its cause.
  return code === 'OAUTH_TIMEOUT' || (error instanceof TypeError && cause instanceof Error)
}

/** Error code: the discovery document lacks a required endpoint. */
const invalidMetadata = 'INVALID_METADATA'

/** Describes an unexpected discovery response, for an error message. Undefined for an error that can be transient. */
function describeWrongResponse(error: Error): string | undefined {
  if (isTransient(error)) return undefined
  switch ((error as Error & { code?: string }).code) {
    case invalidMetadata:
      return error.message
    case 'OAUTH_RESPONSE_IS_NOT_CONFORM':
      return `the HTTP status ${statusOf(error)}`
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
  const wrongResponse = describeWrongResponse(error)
  if (wrongResponse !== undefined) {
    return new Fault(
      'unavailable',
      `The setting oidc_issuer is "${issuerSetting}", but this address followed by "/.well-known/openid-configuration" returns ${wrongResponse}. Set oidc_issuer to the address of the issuer.`,
    )
  }
  return unreachableFault(error, issuerSetting)
}

/** @param url the URL of the failed request, or another URL of its host. */
function unreachableFault(error: Error, url: string): Fault {
  const reason = explainTlsOrProxyFailure(error, new URL(url).host)
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
  const usesPlainHttp = oidc_issuer.startsWith('http:')
  const configuration = await discovery(new URL(oidc_issuer), oidc_client_id, undefined, authentication, {
    timeout: timeoutSeconds,
    [customFetch]: limitIssuerResponses(fetch),
    ...(usesPlainHttp && { execute: [allowInsecureRequests] }),
  })
  const metadata: Record<string, unknown> = configuration.serverMetadata()
  for (const endpoint of ['authorization_endpoint', 'token_endpoint']) {
    if (isHttpUrl(metadata[endpoint])) continue
    const error = new Error(`a description without a valid "${endpoint}"`)
    throw Object.assign(error, { code: invalidMetadata })
  }
  return configuration
}
