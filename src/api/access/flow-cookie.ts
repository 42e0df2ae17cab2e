import { ownPath } from '#platform/http/request/own-path.ts'
import { isSecure, tokenIn } from './session-cookie.ts'

const path = '/api/v1/sessions/oidc'

/** The location of the service in the browser: its origin and its base path. */
export type Site = { origin: string; root: string }
const plainName = 'signalbox_sign_in'

/** The time limit for the sign-in at the issuer, in seconds. */
const seconds = 600

/** One redirect to the issuer and back: the secret that identifies it, and the page to open afterwards. */
export type SignInFlow = { secret: string; returnTo: string }

/**
 * Stores the secret of a redirect to the issuer and back. It is `Lax`, unlike the session cookie: the redirect back
 * starts at another site, and a browser does not send a stricter cookie with it.
 */
export function flowCookie(site: Site, { secret, returnTo }: SignInFlow): string {
  const place = returnTo === '/' ? '' : `.${Buffer.from(returnTo).toString('base64url')}`
  return serialize(site, secret + place, seconds)
}

export const endedFlowCookie = (site: Site) => serialize(site, '', 0)

/** Reads the flow from the cookie. `returnTo` is not trusted: another service on this host may have set the cookie. */
export function flowIn(cookies: string | undefined, origin: string): SignInFlow | undefined {
  const [secret, place = ''] = tokenIn(cookies, nameFor(origin))?.split('.') ?? []
  if (!secret) return undefined
  return { secret, returnTo: pageIn(Buffer.from(place, 'base64url').toString(), origin) ?? '/' }
}

/** Returns the path of a console page; undefined for another origin or a path of the API. */
export function pageIn(text: string, origin: string): string | undefined {
  const path = ownPath(text, origin)
  return path?.startsWith('/api/') ? undefined : path
}

const signedOutName = 'signalbox_signed_out'
const signedOutSeconds = 30 * 86_400

/** Remembers a sign-out in this browser, so that the issuer asks which account signs in next. */
export const signedOutCookie = (site: Site) => serializeCookie(signedOutName, site, '1', signedOutSeconds)
export const endedSignedOutCookie = (site: Site) => serializeCookie(signedOutName, site, '', 0)

export const hasSignedOut = (cookies: string | undefined, origin: string) =>
  tokenIn(cookies, nameFor(origin, signedOutName)) !== undefined

const nameFor = (origin: string, name = plainName) => (isSecure(origin) ? `__Secure-${name}` : name)

const serialize = (site: Site, value: string, maxAge: number) => serializeCookie(plainName, site, value, maxAge)

function serializeCookie(name: string, { origin, root }: Site, value: string, maxAge: number): string {
  const secure = isSecure(origin) ? '; Secure' : ''
  return `${nameFor(origin, name)}=${value}; Path=${root}${path}; HttpOnly; SameSite=Lax; Max-Age=${maxAge}${secure}`
}
