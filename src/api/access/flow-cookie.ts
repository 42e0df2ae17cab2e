import { ownPath } from '#platform/http/request/own-path.ts'
import { isSecure, tokenIn } from './session-cookie.ts'

const path = '/api/v1/sessions/oidc'

/** The place of the service in the browser: its origin, and the path it is below. */
export type Site = { origin: string; root: string }
const plainName = 'signalbox_sign_in'

/** How long somebody may take at the issuer, in seconds. */
const seconds = 600

/** A way to the issuer and back: what it is known by, and which page is opened at its end. */
export type SignInFlow = { secret: string; returnTo: string }

/**
 * Holds the secret of a way to the issuer and back. `Lax`, unlike the cookie of a session: the way back begins at another site,
 * and a browser sends nothing stricter along.
 */
export function flowCookie(site: Site, { secret, returnTo }: SignInFlow): string {
  const place = returnTo === '/' ? '' : `.${Buffer.from(returnTo).toString('base64url')}`
  return written(site, secret + place, seconds)
}

export const endedFlowCookie = (site: Site) => written(site, '', 0)

/** Where the way leads is not trusted: what else is served on this host may have written the cookie. */
export function flowIn(cookies: string | undefined, origin: string): SignInFlow | undefined {
  const [secret, place = ''] = tokenIn(cookies, nameFor(origin))?.split('.') ?? []
  if (!secret) return undefined
  return { secret, returnTo: pageIn(Buffer.from(place, 'base64url').toString(), origin) ?? '/' }
}

/** A page of the console by its path; undefined for what is none, be it elsewhere or of the API. */
export function pageIn(text: string, origin: string): string | undefined {
  const path = ownPath(text, origin)
  return path?.startsWith('/api/') ? undefined : path
}

const signedOutName = 'signalbox_signed_out'
const signedOutSeconds = 30 * 86_400

/** Remembers a sign-out in this browser, so that the issuer asks which account signs in next. */
export const signedOutCookie = (site: Site) => writtenAs(signedOutName, site, '1', signedOutSeconds)
export const endedSignedOutCookie = (site: Site) => writtenAs(signedOutName, site, '', 0)

export const hasSignedOut = (cookies: string | undefined, origin: string) =>
  tokenIn(cookies, nameFor(origin, signedOutName)) !== undefined

const nameFor = (origin: string, name = plainName) => (isSecure(origin) ? `__Secure-${name}` : name)

const written = (site: Site, value: string, maxAge: number) => writtenAs(plainName, site, value, maxAge)

function writtenAs(name: string, { origin, root }: Site, value: string, maxAge: number): string {
  const secure = isSecure(origin) ? '; Secure' : ''
  return `${nameFor(origin, name)}=${value}; Path=${root}${path}; HttpOnly; SameSite=Lax; Max-Age=${maxAge}${secure}`
}
