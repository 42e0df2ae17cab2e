import { type Reconciler, startReconciler } from '#platform/async/reconcile.ts'
import { describeConnectionFailure } from '#platform/core/connection-failure.ts'
import { readBodyText } from '#platform/text/body-text.ts'
import { expandUrl, hasCredentials } from '../expand-url.ts'
import type { Layer, ProviderPatch } from '../layer.ts'
import { mergeProviders } from '../merge/merge.ts'
import { readListedModels } from './listed-models.ts'

type DiscoveryDeps = {
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
export class ModelDiscovery {
  readonly #readVariable: DiscoveryDeps['readVariable']
  readonly #fetch: typeof globalThis.fetch
  readonly #timeoutMs: number
  readonly #retryMs: number
  /** The last list of each server, by the slug of its provider. */
  readonly #lastLayers = new Map<string, Layer>()
  readonly #listeners = new Set<() => void>()
  /** The repeated request for the list of each unreachable server. */
  readonly #unreachable = new Map<string, () => Promise<unknown>>()
  #polling: Reconciler | undefined

  constructor({
    readVariable,
    fetch = globalThis.fetch,
    timeoutMs = defaultTimeoutMs,
    retryMs = defaultRetryMs,
  }: DiscoveryDeps) {
    this.#readVariable = readVariable
    this.#fetch = fetch
    this.#timeoutMs = timeoutMs
    this.#retryMs = retryMs
  }

  /** Requests the models of the servers that the layers name. Never throws. */
  async discover(layers: readonly Layer[]): Promise<Layer[]> {
    const listingProviders = [...mergeProviders(layers)].filter(([, provider]) => provider.discover)
    this.#unreachable.clear()
    const discoveredLayers = await Promise.all(
      listingProviders.map(([slug, provider]) => this.#readLayer(slug, provider)),
    )
    this.#pollUnreachable()
    return discoveredLayers
  }

  /**
   * Calls the listener when an unreachable server answers: all lists should be read again.
   * @returns a function that stops it.
   */
  onRecovered(listener: () => void): () => void {
    this.#listeners.add(listener)
    this.#pollUnreachable()
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size === 0) this.#stopPolling()
    }
  }

  #pollUnreachable(): void {
    if (this.#polling || this.#unreachable.size === 0 || this.#listeners.size === 0) return
    const retryMs = this.#retryMs
    this.#polling = startReconciler(() => this.#retryUnreachable(), { firstMs: retryMs, retryMs, onError: () => {} })
  }

  #stopPolling(): void {
    void this.#polling?.stop()
    this.#polling = undefined
  }

  async #retryUnreachable(): Promise<number> {
    const responses = await Promise.allSettled([...this.#unreachable.values()].map((request) => request()))
    if (responses.some(({ status }) => status === 'fulfilled')) {
      this.#stopPolling()
      // The listeners request all lists again. Servers that are still unreachable are then polled again.
      for (const listener of this.#listeners) listener()
    }
    return this.#retryMs
  }

  async #readLayer(slug: string, provider: ProviderPatch): Promise<Layer> {
    const source = provider.baseUrl ? `${provider.baseUrl.replace(/\/+$/, '')}/models` : slug
    try {
      const layer = await this.#fetchLayer(slug, provider, source)
      this.#lastLayers.set(slug, layer)
      return layer
    } catch (error) {
      const lastLayer = this.#lastLayers.get(slug)
      // A previous list of another address belongs to another server.
      const isSameServer = lastLayer?.source === source
      if (!isSameServer) this.#unreachable.set(slug, () => this.#fetchLayer(slug, provider, source))
      const retainedLayer = isSameServer ? lastLayer : emptyLayer(source)
      const retainedNote = retainedLayer.models.size > 0 ? '; its previous list stays in use' : ''
      const reason = `the models of this server could not be read: ${failureText(error as Error, this.#timeoutMs, source)}${retainedNote}`
      return { ...retainedLayer, skipped: [...retainedLayer.skipped, { source, row: slug, reason }] }
    }
  }

  async #fetchLayer(slug: string, provider: ProviderPatch, source: string): Promise<Layer> {
    return readListedModels(slug, await this.#fetchList(source, provider), source)
  }

  async #fetchList(source: string, { protocol, credentialVariables = [] }: ProviderPatch): Promise<unknown> {
    if (protocol !== 'openai-chat' && protocol !== 'openai-responses')
      throw new Error('discover needs the protocol openai-chat or openai-responses')
    const url = expandUrl(source, this.#readVariable)
    if (url === null) throw new Error('a variable in its base_url is not set')
    if (hasCredentials(url)) throw new Error('a variable in its base_url contains a user or password')
    const secret = credentialVariables.map((name) => this.#readVariable(name)?.trim()).find(Boolean)
    const response = await this.#fetch(url, {
      headers: { accept: 'application/json', ...(secret && { authorization: `Bearer ${secret}` }) },
      redirect: 'error',
      signal: AbortSignal.timeout(this.#timeoutMs),
    })
    if (response.ok) return JSON.parse(await readBodyText(response, maxBytes))
    await response.body?.cancel()
    const isKeyRefused = response.status === 401 || response.status === 403
    throw new Error(
      isKeyRefused ? keyRequiredReason(response.status, credentialVariables, secret) : `it returned ${response.status}`,
    )
  }
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
  if (name === 'TimeoutError') return `it did not respond within ${timeoutMs} ms`
  if (name === 'SyntaxError') return 'its response is not JSON'
  return describeConnectionFailure(error, URL.parse(source)?.host ?? source)
}
