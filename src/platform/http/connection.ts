import type { IncomingMessage } from 'node:http'
import { type BlockList, isIPv6 } from 'node:net'
import { networksOf } from '../net/networks.ts'
import { type HostOf, hostReader, type Proxies } from './request/forwarded-host.ts'

/** The end of a request that a browser knows: where it comes from, and the origin that it asked for. */
export type Connection = {
  /** The client's IP address. */
  address: string
  /** Scheme and host as the client's address bar has them, such as `https://signalbox.example.com`. */
  origin: string
}

type Raw = Pick<IncomingMessage, 'headers' | 'socket'>
export type ConnectionOf = (request: Raw) => Connection

/** The client as reported by one proxy. */
type Told = { address?: string | undefined; scheme?: string | undefined }

/** Reads it off the socket, or takes the word of trusted proxies; nobody else's. */
export function connectionReader(proxies: Proxies): ConnectionOf {
  const hostOf: HostOf = hostReader(proxies)
  const trusted = networksOf(proxies.addresses)
  return (request) => {
    const { remoteAddress = '' } = request.socket
    const told = isIn(trusted, remoteAddress) ? toldBy(request, proxies.header, trusted) : {}
    const scheme = told.scheme ?? ('encrypted' in request.socket ? 'https' : 'http')
    return { address: told.address ?? remoteAddress, origin: originFrom(scheme, hostOf(request)) }
  }
}

const isIn = (networks: BlockList, address: string) =>
  address !== '' && networks.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')

function toldBy({ headers }: Raw, header: Proxies['header'], trusted: BlockList): Told {
  const elements = header === 'forwarded' ? forwarded(headers.forwarded) : legacy(headers)
  // The last says what our own proxy was told by its client; that may be a trusted proxy as well. What stands before a
  // client that is not named (`unknown`) was written by that client, and may be anything.
  const client = elements.findLast(({ address }) => address === undefined || !isIn(trusted, address)) ?? elements[0]
  return { address: client?.address, scheme: elements.at(-1)?.scheme }
}

/** `X-Forwarded-For` and `X-Forwarded-Proto`. */
function legacy(headers: Raw['headers']): Told[] {
  const scheme = schemeIn(listOf(headers['x-forwarded-proto']).at(-1))
  const addresses = listOf(headers['x-forwarded-for']).map(plainAddress)
  return addresses.length === 0 ? [{ scheme }] : addresses.map((address) => ({ address, scheme }))
}

/** RFC 7239: `for=192.0.2.60;proto=https`, and the IPv6 address in quotes and brackets. */
function forwarded(value: string | undefined): Told[] {
  return listOf(value).map((element) => ({
    address: plainAddress(/(?:^|;)\s*for="?([^";\s]+)"?\s*(?:;|$)/i.exec(element)?.[1] ?? ''),
    scheme: schemeIn(/(?:^|;)\s*proto="?(\w+)"?\s*(?:;|$)/i.exec(element)?.[1]),
  }))
}

const listOf = (value: string | string[] | undefined) =>
  String(value ?? '')
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')

const schemeIn = (text: string | undefined) => (/^https?$/i.test(text ?? '') ? text!.toLowerCase() : undefined)

/** Removes port and brackets; undefined if it is not an address. */
function plainAddress(text: string): string | undefined {
  const address = /^\[([\da-f:.]+)\](?::\d+)?$/i.exec(text)?.[1] ?? /^([\d.]+)(?::\d+)?$/.exec(text)?.[1] ?? text
  return isIPv6(address) || /^\d+(\.\d+){3}$/.test(address) ? address : undefined
}

const usualPort = { http: /:80$/, https: /:443$/ }

function originFrom(scheme: string, host = 'localhost'): string {
  return `${scheme}://${host.toLowerCase().replace(usualPort[scheme as keyof typeof usualPort], '')}`
}
