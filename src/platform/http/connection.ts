import type { IncomingMessage } from 'node:http'
import { type BlockList, isIPv6 } from 'node:net'
import { containsAddress, toBlockList } from '../net/addresses/networks.ts'
import { createHostReader, type HostOf, type Proxies } from './request/forwarded-host.ts'

/** The client's end of a request: its address and the origin that it requested. */
type Connection = {
  /** The client's IP address. */
  address: string
  /** Scheme and host as the client's address bar has them, such as `https://signalbox.example.com`. */
  origin: string
}

type RawRequest = Pick<IncomingMessage, 'headers' | 'socket'>
export type ConnectionOf = (request: RawRequest) => Connection

/** The client as reported by one proxy. */
type ReportedClient = { address?: string | undefined; scheme?: string | undefined }

/**
 * Reads the connection from the socket, or from the headers of trusted proxies. If a trusted proxy reports the scheme, that counts.
 * Otherwise a request that names the host of `publicUrl` has the scheme of `publicUrl`, because a proxy that ends TLS need not send
 * `X-Forwarded-Proto`.
 */
export function createConnectionReader(proxies: Proxies, publicUrl?: string): ConnectionOf {
  const hostOf: HostOf = createHostReader(proxies)
  const trusted = toBlockList(proxies.addresses)
  const publicOrigin = publicUrl === undefined ? undefined : new URL(publicUrl).origin
  return (request) => {
    const { remoteAddress = '' } = request.socket
    const reported = containsAddress(trusted, remoteAddress) ? readReportedClient(request, proxies.header, trusted) : {}
    const host = hostOf(request)
    const address = reported.address ?? remoteAddress
    if (reported.scheme) return { address, origin: toOrigin(reported.scheme, host) }
    if (publicOrigin === toOrigin('https', host)) return { address, origin: publicOrigin }
    return { address, origin: toOrigin('encrypted' in request.socket ? 'https' : 'http', host) }
  }
}

function readReportedClient({ headers }: RawRequest, header: Proxies['header'], trusted: BlockList): ReportedClient {
  const elements = header === 'forwarded' ? parseForwarded(headers.forwarded) : parseXForwarded(headers)
  // The last entry comes from our own proxy: the address of its client, which may be a trusted proxy too. If that
  // client is `unknown`, the entries before it are its own and may be forged.
  const client =
    elements.findLast(({ address }) => address === undefined || !containsAddress(trusted, address)) ?? elements[0]
  return { address: client?.address, scheme: elements.at(-1)?.scheme }
}

/** `X-Forwarded-For` and `X-Forwarded-Proto`. */
function parseXForwarded(headers: RawRequest['headers']): ReportedClient[] {
  const scheme = parseScheme(splitList(headers['x-forwarded-proto']).at(-1))
  const addresses = splitList(headers['x-forwarded-for']).map(parseAddress)
  return addresses.length === 0 ? [{ scheme }] : addresses.map((address) => ({ address, scheme }))
}

/** RFC 7239: `for=192.0.2.60;proto=https`, and the IPv6 address in quotes and brackets. */
function parseForwarded(value: string | undefined): ReportedClient[] {
  return splitList(value).map((element) => ({
    address: parseAddress(/(?:^|;)\s*for="?([^";\s]+)"?\s*(?:;|$)/i.exec(element)?.[1] ?? ''),
    scheme: parseScheme(/(?:^|;)\s*proto="?(\w+)"?\s*(?:;|$)/i.exec(element)?.[1]),
  }))
}

const splitList = (value: string | string[] | undefined) =>
  String(value ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')

const parseScheme = (text: string | undefined) => (/^https?$/i.test(text ?? '') ? text!.toLowerCase() : undefined)

/** Removes port and brackets; undefined if it is not an address. */
function parseAddress(text: string): string | undefined {
  const address = /^\[([\da-f:.]+)\](?::\d+)?$/i.exec(text)?.[1] ?? /^([\d.]+)(?::\d+)?$/.exec(text)?.[1] ?? text
  return isIPv6(address) || /^\d+(\.\d+){3}$/.test(address) ? address : undefined
}

const defaultPorts = { http: /:80$/, https: /:443$/ }

/** A host in lower case, without the port that its scheme implies. @param scheme in lower case. */
export function removeDefaultPort(scheme: string, host: string): string {
  return host.toLowerCase().replace(defaultPorts[scheme as keyof typeof defaultPorts], '')
}

const toOrigin = (scheme: string, host = 'localhost') => `${scheme}://${removeDefaultPort(scheme, host)}`
