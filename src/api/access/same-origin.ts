import type { IncomingHttpHeaders } from 'node:http'
import { csrfTokenOf, isSameSecret } from '#identity/sign-in/session-tokens.ts'
import { Fault } from '#platform/core/fault.ts'

const proxyHint = 'If a proxy terminates TLS, add its address to the setting trusted_proxies.'

/** @throws Fault `forbidden` if the browser reports that a page of another origin sent the request. */
export function refuseOtherOrigins(headers: IncomingHttpHeaders, ownOrigin: string): void {
  const { origin, 'sec-fetch-site': site } = headers
  if (site !== undefined && site !== 'same-origin') {
    throw new Fault('forbidden', 'The request comes from a page of another site, which is not allowed.')
  }
  if (origin !== undefined && origin !== ownOrigin) {
    throw new Fault('forbidden', `The request comes from a page of another origin than ${ownOrigin}. ${proxyHint}`)
  }
}

/**
 * Requires that a write with a cookie comes from a page of this service and carries the token given to that page.
 * @throws Fault `forbidden` that names what is missing.
 */
export function requireOwnPage(headers: IncomingHttpHeaders, ownOrigin: string, token: string): void {
  if (headers.origin === undefined) throw new Fault('forbidden', 'A change with a session needs the header "Origin".')
  refuseOtherOrigins(headers, ownOrigin)
  const csrfToken = headers['x-csrf-token']
  if (typeof csrfToken !== 'string' || !isSameSecret(csrfToken, csrfTokenOf(token))) {
    throw new Fault(
      'forbidden',
      'A change with a session needs the header "X-CSRF-Token" with the csrf_token that GET /sessions/current returns.',
    )
  }
}
