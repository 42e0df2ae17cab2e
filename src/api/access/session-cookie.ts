/** The name of the cookie; behind TLS with the prefix by which browsers take it from nobody but this very host. */
const plainName = 'signalbox_session'
const nameFor = (origin: string) => (isSecure(origin) ? `__Host-${plainName}` : plainName)

export const isSecure = (origin: string) => origin.startsWith('https:')

/** `Set-Cookie` for a session. @param seconds how long the browser keeps it; 0 to forget it. */
export function sessionCookie(origin: string, token: string, seconds: number): string {
  const secure = isSecure(origin) ? '; Secure' : ''
  return `${nameFor(origin)}=${token}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${seconds}${secure}`
}

/**
 * The token in a `Cookie` header. Of several by that name none: another service on the same host name may have set one,
 * and nothing tells which is ours.
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
