/** The name of the cookie. With TLS it has the prefix `__Host-`: only this exact host can set it. */
const plainName = 'signalbox_session'
const nameFor = (origin: string) => (isSecure(origin) ? `__Host-${plainName}` : plainName)

export const isSecure = (origin: string) => origin.startsWith('https:')

/** `Set-Cookie` for a session. @param seconds how long the browser keeps it; 0 to forget it. */
export function sessionCookie(origin: string, token: string, seconds: number): string {
  const secure = isSecure(origin) ? '; Secure' : ''
  return `${nameFor(origin)}=${token}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${seconds}${secure}`
}

/**
 * Returns the token of a `Cookie` header. Returns none if several cookies have that name: another service on the same
 * host name may have set one, and both look the same.
 */
export function sessionTokenIn(cookies: string | undefined, origin: string): string | undefined {
  return tokenIn(cookies, nameFor(origin))
}

export function tokenIn(cookies: string | undefined, name: string): string | undefined {
  if (!cookies) return undefined
  const found = cookies
    .split(';')
    .map((one) => one.trim())
    .filter((one) => one.startsWith(`${name}=`))
  return found.length === 1 ? found[0]!.slice(name.length + 1) : undefined
}
