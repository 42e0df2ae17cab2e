/** Normalizes a host: without its port, in lower case. */
export function toHostName(host: string): string {
  return host.toLowerCase().replace(/:\d+$/, '')
}

/** The host of a URL without the brackets of an IPv6 address. */
export const withoutBrackets = (host: string) => host.replace(/^\[|\]$/g, '')

/** A host or address as a URL contains it: an IPv6 address in brackets. */
export const withBrackets = (host: string) => (host.includes(':') ? `[${host}]` : host)
