import { withoutBrackets } from '#platform/net/addresses/host-name.ts'
import { containsAddress, isAddressOrNetwork, toBlockList } from '#platform/net/addresses/networks.ts'
import { isPublicAddress } from '#platform/net/addresses/public-address.ts'

/** The hosts that pages can be fetched from. */
export type AllowList = {
  /** @returns the reason to refuse a URL before its host is resolved; undefined if there is none. */
  urlRefusal: (url: URL) => string | undefined
  /** @returns the reason to refuse a resolved address of the host; undefined if there is none. */
  addressRefusal: (address: string) => string | undefined
}

/**
 * Creates an allow list. An address that is not public must be listed itself, even if a listed name resolves to it. Otherwise the
 * owner of a listed name could reach services that only this machine can reach.
 * @param hosts names (`*`, `example.com`, `*.example.com:8080`), which allow only their port or the default ports; addresses and
 * networks, which allow all ports.
 */
export function createAllowList(hosts: string[]): AllowList {
  const networks = toBlockList(hosts.filter(isAddressOrNetwork))
  const isInListedNetwork = (host: string) => containsAddress(networks, host)
  const names = hosts.filter((host) => !isAddressOrNetwork(host))
  const isListedName = (host: string, port: string) =>
    names.some((entry) => {
      const [name = '', listedPort = ''] = entry.split(':')
      if (listedPort !== port) return false
      return name === '*' || name === host || (name.startsWith('*.') && host.endsWith(name.slice(1)))
    })
  const list = `Pages may be fetched from: ${hosts.join(', ')}`
  return {
    urlRefusal(url) {
      if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'only http:// and https:// can be fetched'
      if (url.username || url.password) return 'a URL with a user or password is not fetched'
      const host = withoutBrackets(url.hostname).replace(/\.$/, '')
      if (isInListedNetwork(host)) return undefined
      return isListedName(host, url.port)
        ? undefined
        : `${url.host} is not among the hosts that this intern may fetch from. ${list}`
    },
    addressRefusal(address) {
      if (isPublicAddress(address) || isInListedNetwork(address)) return undefined
      return `it resolves to ${address}, which is not public and is not listed as an address`
    },
  }
}
