/** `*.example.com` matches every host below `example.com`, and not `example.com` itself. */
export function matchesHost(pattern: string, host: string): boolean {
  const expected = pattern.toLowerCase()
  if (expected === '*') return true
  return expected.startsWith('*.') ? host.endsWith(expected.slice(1)) : host === expected
}

/** The normalized host of a URL; undefined if programs could parse it differently. */
export function parseHost(address: string): string | undefined {
  if (!/^[a-z][a-z0-9+.-]*:\/\/[^\s\\@]+$/i.test(address)) return undefined
  // For an unknown scheme, URL.parse does not normalize the host.
  const url = URL.parse(address) && URL.parse(address.replace(/^[a-z][a-z0-9+.-]*:/i, 'http:'))
  return url?.hostname.toLowerCase().replace(/\.$/, '') || undefined
}

/** The characters that programs accept as dots of a host name. */
const dot = '[.\\u3002\\uff0e\\uff61]'
const label = '[\\p{L}\\p{N}_%-]+'
const dottedHosts = new RegExp(
  `(?<![\\p{L}\\p{N}_%-])${label}(?:${dot}${label})+${dot}?|\\[[0-9a-f:.]+\\]|localhost`,
  'giu',
)
/** A host name without dots, at the position of the host in a URL. */
const singleLabelHosts = new RegExp(`(?<=\\/\\/|@)${label}(?=[:/?#\\s]|$)`, 'giu')
/** A number can be an address: 2130706433 is 127.0.0.1. */
const numericHosts = /(?<=\/\/|@)(?:0x[0-9a-f]+|\d+)(?=[:/?#\s]|$)|(?<![\w.-])(?:0x[0-9a-f]{6,8}|\d{8,12})(?![\w.-])/gi

/** All possible hosts in a text: `host/path`, `user@host:path`, `https://host`. */
export function findHosts(text: string): string[] {
  const names = [...(text.match(dottedHosts) ?? []), ...(text.match(singleLabelHosts) ?? [])]
  const named = names.map((host) => parseHost(`http://${host}/`) ?? host.toLowerCase())
  const numbers = text.match(numericHosts) ?? []
  const numeric = numbers.map((number) => parseHost(`http://${number}/`)).filter((host) => host !== undefined)
  return [...new Set([...named, ...numeric])]
}

/** Whether a URL has a part that curl expands: `https://{a,b}.example`, `https://a[1-9].example`. */
export const hasUrlExpansion = (text: string) => /:\/\/[^\s/]*(?:\{|\[(?![0-9a-f:.]+\]))/i.test(text)
