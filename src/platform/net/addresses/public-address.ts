import { lookup } from 'node:dns/promises'
import { isIPv6 } from 'node:net'
import { once } from '../../async/once.ts'
import { withoutBrackets } from './host-name.ts'
import { toBlockList } from './networks.ts'

/** Addresses in a public range that are reachable only inside a cloud, and serve secrets: Azure's WireServer. */
export const cloudAddresses = ['168.63.129.16/32']

/** Addresses for a single host, a single site or documentation, not for the Internet; by the registries of the IANA. */
const nonPublicNetworks = once(() =>
  toBlockList([
    ...cloudAddresses,
    '0.0.0.0/8',
    '10.0.0.0/8',
    '100.64.0.0/10',
    '127.0.0.0/8',
    '169.254.0.0/16',
    '172.16.0.0/12',
    '192.0.0.0/24',
    '192.0.2.0/24',
    '192.168.0.0/16',
    '198.18.0.0/15',
    '198.51.100.0/24',
    '203.0.113.0/24',
    '224.0.0.0/3',
    // Within the allocated range (2000::/3): Teredo and other protocols, documentation, and 6to4, which can contain any IPv4 address.
    '2001::/23',
    '2001:db8::/32',
    '2002::/16',
    '3fff::/20',
  ]),
)
/** The part of IPv6 that the IANA has allocated for the Internet. */
const allocatedNetworks = once(() => toBlockList(['2000::/3']))

export function isPublicAddress(address: string): boolean {
  const withoutZone = address.replace(/%.*$/, '')
  if (!isIPv6(withoutZone)) return !nonPublicNetworks().check(withoutZone, 'ipv4')
  return allocatedNetworks().check(withoutZone, 'ipv6') && !nonPublicNetworks().check(withoutZone, 'ipv6')
}

export type Resolve = (host: string) => Promise<string[]>

export const resolveHost: Resolve = async (host) => (await lookup(host, { all: true })).map(({ address }) => address)

/** Names that never belong to a public host: without a dot, or under a domain reserved for private use. */
const isSpecialName = (host: string) =>
  !host.replace(/\.$/, '').includes('.') ||
  /\.(internal|local|localhost|localdomain|home\.arpa|lan|intranet|corp|svc)\.?$/i.test(host)

/**
 * Resolves a host, and requires that all its addresses are public: a user who names a host must not reach services that
 * only this host can reach.
 * @param settingName the setting with which the operator can allow a private host.
 * @param options `isProxied`: a proxy connects, so a name that only the proxy can resolve is left to it, with no address.
 * @throws Error that says what is wrong with the host.
 */
export async function resolvePublicAddresses(
  hostname: string,
  settingName: string,
  { isProxied = false, resolve = resolveHost }: { isProxied?: boolean; resolve?: Resolve } = {},
): Promise<string[]> {
  const host = withoutBrackets(hostname)
  const addresses = await resolve(host).catch(() => [])
  if (addresses.length === 0 && isProxied && !isSpecialName(host)) return []
  if (addresses.length === 0) throw new Error(`the host ${host} is not known`)
  if (addresses.every(isPublicAddress)) return addresses
  throw new Error(`the host ${host} is not a public host; the operator can allow its origin (setting "${settingName}")`)
}
