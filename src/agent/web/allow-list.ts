import { isIP, isIPv6 } from 'node:net'
import { isNetwork, networksOf } from '#platform/net/networks.ts'
import { isPublicAddress } from '#platform/net/public-address.ts'

/** From where pages may be fetched. */
export type AllowList = {
  /** @returns why a URL may not be fetched, as far as it tells by itself; undefined when it may. */
  whyNotUrl: (url: URL) => string | undefined
  /** The same of an address that a host has. */
  whyNotAddress: (address: string) => string | undefined
}

/**
 * `hosts` as `isWebHost` has them. A name stands for the usual ports alone, unless one is named. An address that is not
 * public must be listed as such, whatever names lead to it: who may name a host, or answers for one, must not reach
 * with it what only this machine reaches.
 */
export function allowList(hosts: string[]): AllowList {
  const networks = networksOf(hosts.filter(isNetwork))
  const isListed = (address: string) => networks.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
  const names = hosts.filter((host) => !isNetwork(host))
  const isNamed = (host: string, port: string) =>
    names.some((entry) => {
      const [name = '', ownPort = ''] = entry.split(':')
      if (ownPort !== port) return false
      return name === '*' || name === host || (name.startsWith('*.') && host.endsWith(name.slice(1)))
    })
  const list = `Pages may be fetched from: ${hosts.join(', ')}.`
  return {
    whyNotUrl(url) {
      if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'only http:// and https:// can be fetched'
      if (url.username || url.password) return 'a URL with a user or password is not fetched'
      const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
      if (isIP(host) !== 0 && isListed(host)) return undefined
      return isNamed(host, url.port)
        ? undefined
        : `${url.host} is not among the hosts that this intern may fetch from. ${list}`
    },
    whyNotAddress(address) {
      if (isPublicAddress(address) || isListed(address)) return undefined
      return `it leads to ${address}, which is no public address, and is not listed as such`
    },
  }
}
