import { type Reconciler, startReconciler } from '#platform/async/reconcile.ts'
import { describeConnectionFailure } from '#platform/core/connection-failure.ts'
import { readBodyText } from '#platform/text/body-text.ts'
import { expandUrl, hasCredentials } from '../expand-url.ts'
import type { Layer, ProviderPatch } from '../layer.ts'
import type { Discover } from '../load.ts'
import { mergeProviders } from '../merge/merge.ts'
import { readListedModels } from './listed-models.ts'

type DiscoverDeps = {
  readVariable: (name: string) => string | undefined
  fetch?: typeof globalThis.fetch
  /** The time limit for the whole list of a server. */
  timeoutMs?: number
  /** The time after which an unreachable server is retried. */
  retryMs?: number
}

/** The maximum size of a list, which is many times larger than usual ones. */
const maxBytes = 4 * 1024 * 1024

const defaultTimeoutMs = 3_000
const defaultRetryMs = 10_000

/**
 * Requests the lists of models from servers. If a server is unreachable, its last list stays in the catalogue. A server
 * that has not sent a list yet is polled until it does, because it may start later than this service.
 */
export function createDiscovery({
  readVariable,
  fetch = globalThis.fetch,
  timeoutMs = defaultTimeoutMs,
  retryMs = defaultRetryMs,
}: DiscoverDeps): Discover {
  /** The last list of each server, by the slug of its provider. */
  const lastLayers = new Map<string, Layer>()
  const listeners = new Set<() => void>()
  /** The repeated request for the list of each unreachable server. */
  const unreachable = new Map<string, () => Promise<unknown>>()
  let polling: Reconciler | undefined

  function pollUnreachable(): void {
    if (polling || unreachable.size === 0 || listeners.size === 0) return
    polling = startReconciler(retryUnreachable, { firstMs: retryMs, retryMs, onError: () => {} })
  }

  function stopPolling(): void {
    void polling?.stop()
    polling = undefined
  }

  async function retryUnreachable(): Promise<number> {
    const answers = await Promise.allSettled([...unreachable.values()].map((request) => request()))
    if (answers.some(({ status }) => status === 'fulfilled')) {
      stopPolling()
      // The listeners request all lists again. Servers that are still unreachable are then polled again.
      for (const listener of listeners) listener()
    }
    return retryMs
  }

  async function readLayer(slug: string, provider: ProviderPatch): Promise<Layer> {
    const source = provider.baseUrl ? `${provider.baseUrl.replace(/\/+$/, '')}/models` : slug
    try {
      const layer = await fetchLayer(slug, provider, source)
      lastLayers.set(slug, layer)
      return layer
    } catch (error) {
      const lastLayer = lastLayers.get(slug)
      // A previous list of another address belongs to another server.
      const isSameServer = lastLayer?.source === source
      if (!isSameServer) unreachable.set(slug, () => fetchLayer(slug, provider, source))
      const retainedLayer = isSameServer ? lastLayer : emptyLayer(source)
      const retainedNote = retainedLayer.models.size > 0 ? '; its previous list stays in use' : ''
      const reason = `the models of this server could not be read: ${failureText(error as Error, timeoutMs, source)}${retainedNote}`
      return { ...retainedLayer, skipped: [...retainedLayer.skipped, { source, row: slug, reason }] }
    }
  }

  const fetchLayer = async (slug: string, provider: ProviderPatch, source: string) =>
    readListedModels(slug, await fetchList(source, provider), source)

  async function fetchList(source: string, { protocol, credentialVariables = [] }: ProviderPatch): Promise<unknown> {
    if (protocol !== 'openai-chat' && protocol !== 'openai-responses')
      throw new Error('discover needs the protocol openai-chat or openai-responses')
    const url = expandUrl(source, readVariable)
    if (url === null) throw new Error('a variable in its base_url is not set')
    if (hasCredentials(url)) throw new Error('a variable in its base_url contains a user or password')
    const secret = credentialVariables.map((name) => readVariable(name)?.trim()).find(Boolean)
    const response = await fetch(url, {
      headers: { accept: 'application/json', ...(secret && { authorization: `Bearer ${secret}` }) },
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    })
    if (response.ok) return JSON.parse(await readBodyText(response, maxBytes))
    await response.body?.cancel()
    const isKeyRefused = response.status === 401 || response.status === 403
    throw new Error(
      isKeyRefused ? keyRequiredReason(response.status, credentialVariables, secret) : `it answered ${response.status}`,
    )
  }

  const discover = async (layers: readonly Layer[]) => {
    const listingProviders = [...mergeProviders(layers)].filter(([, provider]) => provider.discover)
    unreachable.clear()
    const discoveredLayers = await Promise.all(listingProviders.map(([slug, provider]) => readLayer(slug, provider)))
    pollUnreachable()
    return discoveredLayers
  }
  const onRecovered: Discover['onRecovered'] = (listener) => {
    listeners.add(listener)
    pollUnreachable()
    return () => {
      listeners.delete(listener)
      if (listeners.size === 0) stopPolling()
    }
  }
  return Object.assign(discover, { onRecovered })
}

/** The start of the reason if a server requires a key. The check of a catalogue file reports it as an error. */
export const keyRequiredText = 'it requires a key'

function keyRequiredReason(status: number, variables: readonly string[], secret: string | undefined): string {
  if (secret) return `${keyRequiredText} (${status}), and refuses the one in ${variables.join(' or ')}`
  if (variables.length > 0) return `${keyRequiredText} (${status}), and ${variables.join(' or ')} is not set`
  return `${keyRequiredText} (${status}): name the environment variable that holds it with "credentials: [NAME]"`
}

const emptyLayer = (source: string): Layer => ({
  source,
  providers: new Map(),
  models: new Map(),
  skipped: [],
  mergedRows: 0,
})

function failureText(error: Error, timeoutMs: number, source: string): string {
  const { name } = error
  if (name === 'TimeoutError') return `it did not answer within ${timeoutMs} ms`
  if (name === 'SyntaxError') return 'its answer is not JSON'
  return describeConnectionFailure(error, URL.parse(source)?.host ?? source)
}
