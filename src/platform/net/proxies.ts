import { domainToASCII } from 'node:url'
import { type Environment, readVariable } from '../process/environment.ts'
import { withoutBrackets } from './addresses/host-name.ts'
import { containsAddress, isAddressOrNetwork, toBlockList } from './addresses/networks.ts'

/** The proxies for outgoing requests, from the settings of the same names. */
export type ProxySettings = {
  http_proxy?: string | undefined
  https_proxy?: string | undefined
  no_proxy?: readonly string[] | undefined
}

export const proxyVariableNames = ['http_proxy', 'https_proxy', 'no_proxy'] as const

/** Reads a proxy variable. Lower case comes first, as in curl. Empty counts as not set. */
export function readProxyVariable(env: Environment, name: (typeof proxyVariableNames)[number]): string | undefined {
  return readVariable(env, name) ?? readVariable(env, name.toUpperCase())
}

/** Reads the proxies from environment variables, for processes without settings. */
export function readProxies(env: Environment): ProxySettings {
  const readUrl = (name: 'http_proxy' | 'https_proxy') => {
    const value = readProxyVariable(env, name)
    return value === undefined ? undefined : parseProxyUrl(value)
  }
  return {
    http_proxy: readUrl('http_proxy'),
    https_proxy: readUrl('https_proxy'),
    no_proxy: parseNoProxy(readProxyVariable(env, 'no_proxy') ?? ''),
  }
}

/**
 * Parses a proxy's URL, or its host and port alone. Undefined if it is not an HTTP proxy. A `%` in a password need not be
 * encoded.
 */
export function parseProxyUrl(text: string): string | undefined {
  const encoded = text.replaceAll(/%(?![0-9a-f]{2})/gi, '%25')
  const url = URL.parse(encoded.includes('://') ? encoded : `http://${encoded}`)
  // A path results from a mistake, such as `http//proxy` or `DOMAIN\\user` in a URL.
  const isProxy = url && /^https?:$/.test(url.protocol) && url.hostname !== '' && url.pathname === '/'
  return isProxy ? url.href : undefined
}

/** Parses a list for `no_proxy`, also in the forms of Java and Windows: separated by `|` or `;`, with networks as `10.*`. */
export const parseNoProxy = (text: string): string[] =>
  text
    .split(/[,;|\s]+/)
    .map(normalizeEntry)
    .filter((entry) => entry !== '')

/**
 * Removes quotes, the scheme and path of a URL, and a final `/` or single `:`, but not the `::` of an IPv6 address. Converts
 * `10.*` to `10.0.0.0/8`, and removes the brackets of an IPv6 network.
 */
function normalizeEntry(text: string): string {
  const entry = text
    .replaceAll(/["']/g, '')
    .replace(/^https?:\/\/([^/]*).*$/i, '$1')
    .replace(/(?<!:):$|\/$/, '')
    .replace(/^\[([\da-f:.]+)\](?=\/)/i, '$1')
  const octets = /^(\d{1,3}(?:\.\d{1,3}){0,2})(?:\.\*)+$/.exec(entry)?.[1]?.split('.')
  return octets ? `${[...octets, 0, 0, 0].slice(0, 4).join('.')}/${octets.length * 8}` : entry
}

/** Returns the proxy for a URL; undefined for a direct connection. */
export function findProxy(settings: ProxySettings, url: URL): string | undefined {
  const proxy = url.protocol === 'https:' ? settings.https_proxy : settings.http_proxy
  if (proxy === undefined || isLoopback(bareHost(url))) return undefined
  return settings.no_proxy?.some((entry) => matchesEntry(entry, url)) ? undefined : proxy
}

export const hasProxy = ({ http_proxy, https_proxy }: ProxySettings) =>
  http_proxy !== undefined || https_proxy !== undefined

/** The host without the brackets of IPv6 and the final dot of an absolute name. */
const bareHost = ({ hostname }: URL) => withoutBrackets(hostname).replace(/(?<=.)\.$/, '')

const loopback = toBlockList(['127.0.0.0/8', '::1'])

function isLoopback(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || containsAddress(loopback, host)
}

/**
 * Whether an entry of `no_proxy` matches: `*`, `<local>` for names without a dot, an address, a network, a domain with its
 * subdomains, or a name in which `*` stands for any characters, such as `*.domain` for subdomains only. A port is optional.
 */
function matchesEntry(entry: string, url: URL): boolean {
  const { pattern, port } = splitPort(entry.toLowerCase())
  if (port !== undefined && port !== portOf(url)) return false
  const host = bareHost(url)
  if (pattern === '<local>') return !/[.:]/.test(host)
  if (isAddressOrNetwork(pattern)) return containsAddress(toBlockList([pattern]), host)
  const domain = toAscii(pattern.replace(/^\./, '').replace(/(?<=.)\.$/, ''))
  return domain.includes('*') ? matchesGlob(domain, host) : host === domain || host.endsWith(`.${domain}`)
}

/** The form that names have in URLs: `bücher.example` is `xn--bcher-kva.example`. */
const toAscii = (name: string) => (/[^ -~]/.test(name) && domainToASCII(name)) || name

function matchesGlob(glob: string, text: string): boolean {
  const [start = '', ...rest] = glob.split('*')
  const end = rest.pop() ?? ''
  if (!text.startsWith(start) || !text.endsWith(end) || text.length < start.length + end.length) return false
  let position = start.length
  for (const part of rest) {
    const found = text.indexOf(part, position)
    if (found < 0) return false
    position = found + part.length
  }
  return position <= text.length - end.length
}

function splitPort(entry: string): { pattern: string; port?: string } {
  const match = /^\[([\da-f:.]+)\](?::(\d+))?$/.exec(entry) ?? /^([^:]+):(\d+)$/.exec(entry)
  if (!match) return { pattern: entry }
  const [, pattern = '', port] = match
  return port === undefined ? { pattern } : { pattern, port }
}

const portOf = ({ port, protocol }: URL) => port || (protocol === 'https:' ? '443' : '80')

/**
 * The proxies as environment variables for a program of an intern, in upper and lower case. Requests to this service are
 * excluded.
 */
export function proxyEnvironment(settings: ProxySettings, serviceUrl: string): Record<string, string> {
  if (!hasProxy(settings)) return {}
  const { http_proxy, https_proxy, no_proxy = [] } = settings
  const serviceHost = withoutBrackets(new URL(serviceUrl).hostname)
  const excludedHosts = [...no_proxy.map(toCommonEntry), 'localhost', '127.0.0.1', '::1', serviceHost]
  // curl and Python accept `*` only alone.
  const excluded = excludedHosts.includes('*') ? '*' : excludedHosts.join(',')
  const environment: Record<string, string> = {}
  for (const [name, value] of Object.entries({ http_proxy, https_proxy, no_proxy: excluded })) {
    if (!value) continue
    environment[name] = value
    environment[name.toUpperCase()] = value
  }
  return environment
}

/** `*.domain` as `.domain`, because curl and Python do not know `*` in names. */
const toCommonEntry = (entry: string) => entry.replace(/^\*(?=\.)/, '')
