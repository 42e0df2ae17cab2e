import { isAddressOrNetwork } from './networks.ts'

const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
const hostPattern = new RegExp(`^(?:\\*\\.)?${label}(?:\\.${label})*(?::\\d{1,5})?$`)

/**
 * Whether a text names hosts from which pages can be fetched: `*`, `example.com`, `*.example.com`, `example.com:8080`, an
 * address or a network.
 */
export function isWebHost(text: string): boolean {
  // A name of digits and dots only is an invalid address, not a domain.
  return text === '*' || isAddressOrNetwork(text) || (hostPattern.test(text) && !/^[\d.]+(?::|$)/.test(text))
}
