import { isSecure, tokenIn } from './session-cookie.ts'

const path = '/api/v1/sessions/oidc'
const plainName = 'signalbox_sign_in'

/** How long somebody may take at the issuer, in seconds. */
const seconds = 600

/**
 * Holds the secret of a way to the issuer and back. `Lax`, unlike the cookie of a session: the way back begins at another site,
 * and a browser sends nothing stricter along.
 */
export function flowCookie(origin: string, secret: string): string {
  return written(origin, secret, seconds)
}

export const endedFlowCookie = (origin: string) => written(origin, '', 0)

export const flowSecretIn = (cookies: string | undefined, origin: string) => tokenIn(cookies, nameFor(origin))

const nameFor = (origin: string) => (isSecure(origin) ? `__Secure-${plainName}` : plainName)

function written(origin: string, value: string, maxAge: number): string {
  const secure = isSecure(origin) ? '; Secure' : ''
  return `${nameFor(origin)}=${value}; Path=${path}; HttpOnly; SameSite=Lax; Max-Age=${maxAge}${secure}`
}
