import { BlockList, isIP } from 'node:net'

/** Whether a text is an IP address, or a network such as `10.0.0.0/8`. */
export function isAddressOrNetwork(text: string): boolean {
  const [address = '', bits, ...extraParts] = text.split('/')
  const version = isIP(address)
  if (version === 0 || extraParts.length > 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128))
}

/** Creates a list of addresses and networks for lookups. */
export function toBlockList(addresses: readonly string[]): BlockList {
  const networks = new BlockList()
  for (const text of addresses) {
    const [address = '', bits] = text.split('/')
    const family = familyOf(address)
    if (bits === undefined) networks.addAddress(address, family)
    else networks.addSubnet(address, Number(bits), family)
  }
  return networks
}

/** Whether a text is an IP address in one of the networks. */
export function containsAddress(networks: BlockList, text: string): boolean {
  return isIP(text) !== 0 && networks.check(text, familyOf(text))
}

const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4')
