import type { IncomingMessage } from 'node:http'
import { containsAddress, toBlockList } from '../../net/addresses/networks.ts'

/** The header in which a proxy reports the requested host. */
type HostHeader = 'x-forwarded-host' | 'forwarded'

export type Proxies = {
  /** IP addresses and networks (`10.0.0.0/8`) of trusted proxies. */
  addresses: readonly string[]
  header: HostHeader
}

/** Returns the host that the client requested; undefined if no header contains it. */
export type HostOf = (request: Pick<IncomingMessage, 'headers' | 'socket'>) => string | undefined

/**
 * Reads the `Host` header, or the header of a trusted proxy. Only the configured header is read: a proxy that sets one
 * header passes the others on unchanged from the client.
 */
export function createHostReader({ addresses, header }: Proxies): HostOf {
  if (addresses.length === 0) return ({ headers }) => headers.host
  const trusted = toBlockList(addresses)
  return ({ headers, socket }) => {
    const isTrusted = containsAddress(trusted, socket.remoteAddress ?? '')
    return (isTrusted && parseHost(header, headers[header])) || headers.host
  }
}

/** Uses the last of several hosts; the client of the proxy wrote the others. */
function parseHost(header: HostHeader, value: string | string[] | undefined): string | undefined {
  const last = String(value ?? '')
    .split(',')
    .at(-1)!
    .trim()
  if (header === 'x-forwarded-host') return last || undefined
  return /(?:^|;)\s*host="?([^";\s]+)"?\s*(?:;|$)/i.exec(last)?.[1]
}
