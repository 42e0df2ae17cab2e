import { BlockList, isIP, isIPv6 } from 'node:net'

/** Whether a text is an IP address, or a network such as `10.0.0.0/8`. */
export function isNetwork(text: string): boolean {
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
    const type = isIPv6(address) ? 'ipv6' : 'ipv4'
    if (bits === undefined) networks.addAddress(address, type)
    else networks.addSubnet(address, Number(bits), type)
  }
  return networks
}
