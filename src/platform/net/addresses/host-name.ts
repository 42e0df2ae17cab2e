/** Normalizes a host: without its port, in lower case. An IPv6 address with a port has brackets. */
export function toHostName(host: string): string {
  return host.toLowerCase().replace(/^([^:]*|\[.*\]):\d+$/, '$1')
}

/** The host of a URL without the brackets of an IPv6 address. */
export const withoutBrackets = (host: string) => host.replace(/^\[|\]$/g, '')

/** A host or address as a URL contains it: an IPv6 address in brackets. */
export const withBrackets = (host: string) => (host.includes(':') ? `[${host}]` : host)
