import { parseOwnPath } from '#platform/http/request/own-path.ts'
import { isSecure, readCookie } from './session-cookie.ts'

/** The location of the service in the browser: its origin and its base path. */
export type Site = { origin: string; root: string }

/** One sign-in at the OpenID Connect issuer: the secret that identifies it, and the page to open afterwards. */
type SignInFlow = { secret: string; returnTo: string }

/** The characters of the `state` in the name of a cookie: enough for the few tabs of one browser. */
const stateCharacters = 8

/** The name of the cookie of a sign-in. Each has its own, so that several tabs can sign in at the same time. */
const flowName = (state: string) => `signalbox_sign_in_${state.replace(/[^\w-]/g, '').slice(0, stateCharacters)}`

/** The time limit for the sign-in at the issuer. */
const flowSeconds = 600

/**
 * Stores a sign-in flow in the browser until the issuer redirects back. The page is omitted if it is the first one.
 * @param state the `state` of the flow, with which the issuer redirects back.
 */
export function flowCookie(site: Site, state: string, { secret, returnTo }: SignInFlow): string {
  const page = returnTo === '/' ? '' : `.${Buffer.from(returnTo).toString('base64url')}`
  return serializeCookie(flowName(state), site, secret + page, flowSeconds)
}

export const clearedFlowCookie = (site: Site, state: string) => serializeCookie(flowName(state), site, '', 0)

/** Reads the flow from the cookie. `returnTo` is not trusted: another service on this host may have set the cookie. */
export function readSignInFlow(cookies: string | undefined, origin: string, state: string): SignInFlow | undefined {
  const [secret, page = ''] = readCookie(cookies, cookieName(flowName(state), origin))?.split('.') ?? []
  if (!secret) return undefined
  return { secret, returnTo: toConsolePath(Buffer.from(page, 'base64url').toString(), origin) ?? '/' }
}

/** Returns the path of a console page; undefined for another origin or a path of the API. */
export function toConsolePath(text: string, origin: string): string | undefined {
  const path = parseOwnPath(text, origin)
  return path?.startsWith('/api/') ? undefined : path
}

const signedOutName = 'signalbox_signed_out'
const signedOutSeconds = 30 * 86_400

/** Remembers a sign-out in this browser, so that the issuer asks which account signs in next. */
export const signedOutCookie = (site: Site) => serializeCookie(signedOutName, site, '1', signedOutSeconds)
export const clearedSignedOutCookie = (site: Site) => serializeCookie(signedOutName, site, '', 0)

export const hasSignedOut = (cookies: string | undefined, origin: string) =>
  readCookie(cookies, cookieName(signedOutName, origin)) !== undefined

const cookieName = (name: string, origin: string) => (isSecure(origin) ? `__Secure-${name}` : name)

/** The path of the cookies: browsers send them only to the routes of the sign-in. */
const signInPath = '/api/v1/sessions/oidc'

/**
 * `Lax`, unlike the session cookie: the redirect back starts at another site, and a browser does not send a stricter
 * cookie with it.
 */
function serializeCookie(name: string, { origin, root }: Site, value: string, maxAge: number): string {
  const secure = isSecure(origin) ? '; Secure' : ''
  return `${cookieName(name, origin)}=${value}; Path=${root}${signInPath}; HttpOnly; SameSite=Lax; Max-Age=${maxAge}${secure}`
}
