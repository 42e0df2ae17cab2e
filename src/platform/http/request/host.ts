import type { IncomingMessage } from 'node:http'
import { removeDefaultPort } from '../connection.ts'

type HostRequest = Pick<IncomingMessage, 'headers' | 'rawHeaders' | 'httpVersion' | 'url'>

/**
 * Returns the error in a request's host by the rules of HTTP; undefined if the request has exactly one valid host.
 * @param target the target as received, if `url` has been rewritten.
 */
export function findHostError(
  { headers, rawHeaders, httpVersion, url }: HostRequest,
  target: string | undefined = url,
): string | undefined {
  const { host } = headers
  if (host === undefined && httpVersion === '1.1') return 'The request has no Host header, which HTTP/1.1 requires.'
  if (hasSecondHost(rawHeaders)) return 'The request has more than one Host header.'
  if (host !== undefined && !validHost.test(host)) return 'The Host header is not a host with an optional port.'
  if (target !== undefined && !target.startsWith('/') && !namesSameHost(target, host))
    return 'The target of the request names another host than its Host header.'
  return undefined
}

/** A name or IP address, and a port, by RFC 3986. It can be empty. */
const validHost = /^(\[[\w:.%~-]+\]|[\w.~%!$&'()*+,;=-]*)(:\d*)?$/

/** Node uses the first of several `Host` headers and ignores the others. */
function hasSecondHost(rawHeaders: readonly string[]): boolean {
  let hasHost = false
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!
    if (name.length !== 4 || name.toLowerCase() !== 'host') continue
    if (hasHost) return true
    hasHost = true
  }
  return false
}

const absoluteTarget = /^(https?):\/\/([^/?#]*)/

/**
 * Whether a request target that contains a host (as for a proxy) names the same host as the header. Other targets
 * contain none.
 */
function namesSameHost(target: string, host: string | undefined): boolean {
  const [, scheme, authority] = absoluteTarget.exec(target.toLowerCase()) ?? []
  if (scheme === undefined || authority === undefined) return true
  return host !== undefined && removeDefaultPort(scheme, authority) === removeDefaultPort(scheme, host)
}
