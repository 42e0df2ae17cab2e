import type { LookupAddress } from 'node:dns'
import { isIPv6 } from 'node:net'
import type { Config } from '#platform/config/settings.ts'
import { explainTlsOrProxyFailure } from '#platform/core/connection-failure.ts'
import type { MailSettings } from '#platform/net/mail.ts'
import { createProxyAgent } from '#platform/net/outgoing.ts'
import { findProxy, type ProxySettings } from '#platform/net/proxies.ts'
import { lazyModules } from '#platform/process/lazy-modules.ts'
import { type DeliveryResult, maxErrorLength } from './delivery-queue.ts'
import { resolveReceiver } from './target.ts'

export type WebhookNetwork = Pick<Config, 'webhook_origins'> & MailSettings & ProxySettings

type WebhookRequest = { url: string; headers: Record<string, string>; body: string }

const attemptTimeoutMs = 15_000
/** How many bytes of an answer are read. Only its status is used. */
const maxResponseBytes = 16 * 1024

/**
 * Sends one request. Does not follow redirects, because their target is not checked.
 * @returns the status, or the error if the receiver sent no answer.
 */
export async function sendRequest(
  config: WebhookNetwork,
  { url: target, headers, body }: WebhookRequest,
  signal: AbortSignal,
): Promise<DeliveryResult> {
  const attemptSignal = AbortSignal.any([signal, AbortSignal.timeout(attemptTimeoutMs)])
  try {
    const url = new URL(target)
    const proxy = findProxy(config, url)
    const addresses = await resolveReceiver(config, url, { isProxied: proxy !== undefined })
    const { Agent, request } = lazyModules.undici()
    const connectTimeout = { timeout: attemptTimeoutMs }
    const connect = addresses ? { ...connectTimeout, ...pinnedLookup(addresses) } : connectTimeout
    // One agent per attempt: a pooled connection would outlive the check of its address.
    await using dispatcher = disposableAgent(
      proxy === undefined ? new Agent({ connect }) : createProxyAgent(proxy, { connect: connectTimeout }),
    )
    const allHeaders = { ...headers, 'content-type': 'application/json', 'user-agent': 'Signalbox-Webhooks' }
    const response = await request(url, {
      method: 'POST',
      headers: allHeaders,
      body,
      dispatcher: dispatcher.agent,
      signal: attemptSignal,
    })
    // The status counts, even if the rest of the answer is missing.
    await response.body.dump({ limit: maxResponseBytes }).catch(() => {})
    const { statusCode: status, headers: responseHeaders } = response
    if (status >= 200 && status < 300) return { status, error: null }
    const isOverloaded = status === 429 || status === 503
    return {
      status,
      error: refusalText(status, singleValue(responseHeaders.location), url),
      retryAfter: isOverloaded ? singleValue(responseHeaders['retry-after']) : undefined,
    }
  } catch (error) {
    const isTimeout = attemptSignal.aborted && !signal.aborted
    return {
      status: null,
      error: isTimeout ? `no response within ${attemptTimeoutMs / 1000} s` : errorText(error as Error, target),
    }
  }
}

/** A header that is sent once; undefined if it is missing or repeated. */
const singleValue = (header: string | string[] | undefined) => (typeof header === 'string' ? header : undefined)

/** Describes an answer that is not a success. Shows only the origin of a redirect, because paths of webhooks are secret. */
function refusalText(status: number, location: string | undefined, url: URL): string {
  const response = `returned the status ${status}`
  const target = location === undefined ? null : URL.parse(location, url)
  if (status < 300 || status >= 400 || !target || !/^https?:$/.test(target.protocol)) return response
  const destination = target.origin === url.origin ? 'another path' : target.origin
  return `${response}, a redirect to ${destination}. Redirects are not followed: set the URL of the webhook to the final address`
}

/** Returns a lookup that uses only the checked addresses, even if the name resolves to others later. */
export function pinnedLookup(addresses: string[]) {
  const lookupAddresses: LookupAddress[] = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }))
  type LookupCallback = (error: null, address: string | LookupAddress[], family?: number) => void
  return {
    lookup: (_host: string, { all }: { all?: boolean | undefined }, callback: LookupCallback) =>
      all ? callback(null, lookupAddresses) : callback(null, lookupAddresses[0]!.address, lookupAddresses[0]!.family),
  }
}

function disposableAgent<Agent extends { destroy: () => Promise<void> }>(agent: Agent) {
  return { agent, [Symbol.asyncDispose]: () => agent.destroy() }
}

function errorText(error: Error, target: string): string {
  const explained = explainTlsOrProxyFailure(error, URL.parse(target)?.host ?? target)
  if (explained !== undefined) return explained.slice(0, maxErrorLength)
  const { code, message } = (error.cause ?? error) as NodeJS.ErrnoException
  const text = code && !message?.includes(code) ? `${code}: ${message}` : (message ?? String(error))
  return text.slice(0, maxErrorLength)
}
