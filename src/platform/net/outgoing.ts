import type { Agent, Dispatcher } from 'undici'
import { lazyModules } from '../process/lazy-modules.ts'
import { findProxy, hasProxy, type ProxySettings } from './proxies.ts'

/**
 * Options of an undici agent that sends each origin's requests through its proxy: in a tunnel (CONNECT) for https, as a
 * request with an absolute URL for http. Returns the options unchanged if no proxy is set.
 */
export function throughProxies(options: Agent.Options & { connect: { timeout: number } }, proxies: ProxySettings) {
  if (!hasProxy(proxies)) return options
  const factory: Agent.Options['factory'] = (origin, origins) => {
    const proxy = findProxy(proxies, new URL(origin))
    return proxy === undefined ? new (lazyModules.undici().Pool)(origin, origins) : createProxyAgent(proxy, options)
  }
  return { ...options, factory }
}

/** Sends all requests through one proxy. */
export function createProxyAgent(uri: string, options: Agent.Options & { connect: { timeout: number } }): Dispatcher {
  const { Pool, ProxyAgent } = lazyModules.undici()
  const connectTimeout = options.connect.timeout
  return new ProxyAgent({
    ...options,
    uri,
    connectTimeout,
    // Undici passes only the connect options to the pool of a proxy for absolute URLs.
    factory: (origin, pool) => new Pool(origin, { ...options, ...pool }),
    // The time limit of connecting includes the response to CONNECT.
    clientFactory: (origin, pool) => new Pool(origin, { ...pool, headersTimeout: connectTimeout }),
  })
}

const connectMs = 10_000

/** `fetch` for requests that leave this host. */
export function createOutgoingFetch(proxies: ProxySettings): typeof fetch {
  if (!hasProxy(proxies)) return fetch
  let dispatcher: Dispatcher | undefined
  return ((input: string | URL, init?: RequestInit) => {
    const undici = lazyModules.undici()
    dispatcher ??= new undici.Agent(throughProxies({ connect: { timeout: connectMs } }, proxies))
    // The types of undici's `fetch` differ from those of Node's, which is the same function.
    return undici.fetch(input, { ...init, dispatcher } as never)
  }) as typeof fetch
}
