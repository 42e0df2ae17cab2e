import { isIP, type LookupFunction } from 'node:net'
import { describeConnectionFailure } from '#platform/core/connection-failure.ts'
import { withoutBrackets } from '#platform/net/addresses/host-name.ts'
import { type Resolve, resolveHost } from '#platform/net/addresses/public-address.ts'
import { createProxyAgent } from '#platform/net/outgoing.ts'
import { findProxy, type ProxySettings } from '#platform/net/proxies.ts'
import { ByteBuffer } from '#platform/text/byte-buffer.ts'
import type { AllowList } from './allow-list.ts'

/** `contentType` is the header, `type` its first part. */
export type Page = {
  url: string
  status: number
  contentType: string
  type: string
  bytes: Buffer
  isWhole: boolean
}
/** The page redirects to another host, which needs a new decision by the caller. */
type RedirectToOtherHost = { movedTo: string }

type FetchPageOptions = { allowedHosts: AllowList; proxies: ProxySettings; resolve?: Resolve }

const limits = { redirects: 5, bytes: 5 * 1024 * 1024, ms: 30_000 }

/** Fetches a page. Redirects follow the same rules as the first URL. @throws Error with the reason, for the model. */
export async function fetchPage(
  { allowedHosts, proxies, resolve = resolveHost }: FetchPageOptions,
  requestedUrl: string,
  signal: AbortSignal,
): Promise<Page | RedirectToOtherHost> {
  const timeoutSignal = AbortSignal.any([signal, AbortSignal.timeout(limits.ms)])
  let url = parseUrl(requestedUrl, undefined)
  for (let redirects = 0; redirects <= limits.redirects; redirects++) {
    const found = await fetchOnce({ allowedHosts, proxies, resolve }, url, timeoutSignal).catch((error: Error) => {
      signal.throwIfAborted()
      throw timeoutSignal.aborted ? new Error(`${url.href} did not respond within ${limits.ms / 1000} s.`) : error
    })
    if (found.location === undefined) return found
    const next = parseUrl(found.location, url)
    if (next.host !== url.host) return { movedTo: next.href }
    url = next
  }
  throw new Error(`${requestedUrl} redirects more than ${limits.redirects} times.`)
}

type FetchResult = (Page & { location?: undefined }) | { location: string }

async function fetchOnce(rules: Required<FetchPageOptions>, url: URL, signal: AbortSignal): Promise<FetchResult> {
  const { allowedHosts, proxies } = rules
  const reason = allowedHosts.urlRefusal(url)
  if (reason) throw new Error(`${url.href} is not fetched: ${reason}.`)
  const proxy = findProxy(proxies, url)
  const addresses = await resolveAddresses(rules, url, proxy !== undefined)
  const { Agent, fetch } = await import('undici')
  // Connects only to the addresses that were checked: the name can resolve to others the next time.
  const lookup: LookupFunction = (_host, options, response) => {
    const found = addresses.map((address) => ({ address, family: isIP(address) }))
    if (options.all) response(null, found)
    else response(null, found[0]!.address, found[0]!.family)
  }
  const connect = { timeout: limits.ms, lookup }
  const agent =
    proxy === undefined ? new Agent({ connect }) : createProxyAgent(proxy, { connect: { timeout: limits.ms } })
  try {
    const headers = { accept: 'text/html, text/plain, application/json, */*;q=0.5', 'user-agent': 'signalbox-agent' }
    const response = await fetch(url, { redirect: 'manual', signal, dispatcher: agent, headers }).catch(
      (error: Error) => {
        throw new Error(`${url.href} cannot be fetched: ${describeConnectionFailure(error, url.host)}.`)
      },
    )
    const location = response.headers.get('location')
    if (location !== null && response.status >= 300 && response.status < 400) return { location }
    const { bytes, isWhole } = await readBody(response.body)
    const contentType = response.headers.get('content-type') ?? 'text/plain'
    const type = contentType.split(';')[0]!.trim().toLowerCase()
    return { url: url.href, status: response.status, contentType, type, bytes, isWhole }
  } finally {
    agent.destroy().catch(() => {})
  }
}

/** Resolves the host. Returns no addresses for a name that only the proxy can resolve. */
async function resolveAddresses(
  { allowedHosts, resolve }: Required<FetchPageOptions>,
  url: URL,
  isProxied: boolean,
): Promise<string[]> {
  const host = withoutBrackets(url.hostname)
  const addresses = isIP(host) === 0 ? await resolve(host).catch(() => []) : [host]
  if (addresses.length === 0 && !isProxied) throw new Error(`The host ${host} is not known.`)
  for (const address of addresses) {
    const reason = allowedHosts.addressRefusal(address)
    if (reason) throw new Error(`${url.href} is not fetched: ${reason}.`)
  }
  return addresses
}

async function readBody(body: AsyncIterable<Uint8Array> | null): Promise<{ bytes: Buffer; isWhole: boolean }> {
  const received = new ByteBuffer()
  for await (const piece of body ?? []) {
    received.add(Buffer.from(piece.buffer, piece.byteOffset, piece.length))
    // Leaving the loop closes the connection.
    if (received.byteLength > limits.bytes) return { bytes: received.take().subarray(0, limits.bytes), isWhole: false }
  }
  return { bytes: received.take(), isWhole: true }
}

const maxQuotedLength = 200

function parseUrl(text: string, base: URL | undefined): URL {
  const url = URL.parse(text, base)
  if (url) return url
  throw new Error(
    `${JSON.stringify(text.slice(0, maxQuotedLength))} is not a URL; write a complete one, such as https://example.com/page.`,
  )
}
