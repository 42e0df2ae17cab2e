import type { IncomingMessage } from 'node:http'
import { isIPv6 } from 'node:net'
import { networksOf } from '../../net/networks.ts'

/** The header in which a proxy says by which host it was asked. */
type HostHeader = 'x-forwarded-host' | 'forwarded'

export type Proxies = {
  /** IP addresses and networks (`10.0.0.0/8`) whose word is taken. */
  addresses: readonly string[]
  header: HostHeader
}

/** The host by which a request came in; undefined where nobody says one. */
export type HostOf = (request: Pick<IncomingMessage, 'headers' | 'socket'>) => string | undefined

/**
 * The `Host` header, or what a trusted proxy says that its own client asked for. One header of one's own choice: a proxy
 * that writes the one passes the other on as the client sent it.
 */
export function hostReader({ addresses, header }: Proxies): HostOf {
  if (addresses.length === 0) return ({ headers }) => headers.host
  const trusted = networksOf(addresses)
  return ({ headers, socket }) => {
    const { remoteAddress } = socket
    const isTrusted = remoteAddress && trusted.check(remoteAddress, isIPv6(remoteAddress) ? 'ipv6' : 'ipv4')
    return (isTrusted && hostIn(header, headers[header])) || headers.host
  }
}

/** The last of several hosts: the ones before it were written by the proxy's client. */
function hostIn(header: HostHeader, value: string | string[] | undefined): string | undefined {
  const last = String(value ?? '')
    .split(',')
    .at(-1)!
    .trim()
  if (header === 'x-forwarded-host') return last || undefined
  return /(?:^|;)\s*host="?([^";\s]+)"?\s*(?:;|$)/i.exec(last)?.[1]
}
