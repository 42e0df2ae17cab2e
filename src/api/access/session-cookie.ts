const baseName = 'signalbox_session'

/** The name of the cookie. With TLS it has the prefix `__Host-`: only this exact host can set such a cookie. */
const cookieNameFor = (origin: string) => (isSecure(origin) ? `__Host-${baseName}` : baseName)

export const isSecure = (origin: string) => origin.startsWith('https:')

/** `Set-Cookie` for a session. @param seconds how long the browser keeps it; 0 to forget it. */
export function sessionCookie(origin: string, token: string, seconds: number): string {
  const secure = isSecure(origin) ? '; Secure' : ''
  return `${cookieNameFor(origin)}=${token}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${seconds}${secure}`
}

/** Returns the session token of a `Cookie` header. */
export function readSessionToken(cookies: string | undefined, origin: string): string | undefined {
  return readCookie(cookies, cookieNameFor(origin))
}

/**
 * Returns the value of a cookie; undefined if several cookies have that name. Another service on the same host name may
 * have set one of them, and both look the same.
 */
export function readCookie(cookies: string | undefined, name: string): string | undefined {
  const prefix = `${name}=`
  const [match, ...others] = (cookies ?? '')
    .split(';')
    .map((cookie) => cookie.trim())
    .filter((cookie) => cookie.startsWith(prefix))
  return others.length === 0 ? match?.slice(prefix.length) : undefined
}
