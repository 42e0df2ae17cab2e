import type { Now } from '#platform/core/clock.ts'
import { readBodyText } from '#platform/text/body-text.ts'

/** Returns the size of a model's context window, in tokens. */
export type FindContextWindow = (model: string, signal: AbortSignal) => Promise<number>

/** Returns whether a model accepts images. */
export type CheckImageInput = (model: string, signal: AbortSignal) => Promise<boolean>

/** The context window that is assumed when no source reports one, in tokens. */
const assumedTokens = 128_000
const refreshMs = { knownMs: 600_000, unknownMs: 60_000 }
const timeoutMs = 5000
const maxBytes = 4 * 1024 * 1024

type CatalogueOptions = {
  /** Called before each request, because the address can change. */
  baseUrl: () => string
  apiKey: string | undefined
  /** Upper limit that the operator has set, in tokens. */
  maxTokens: number | undefined
  now: Now
}

/**
 * Reads a model's context window and image support from the catalogue of the model service. Results are cached for
 * `refreshMs`, because a catalogue can change while an agent runs; a model that the catalogue lacks is looked up at most
 * once a minute. A model without known image support gets no images.
 */
export function createCatalogueLookup({ baseUrl, apiKey, maxTokens, now }: CatalogueOptions): {
  findContextWindow: FindContextWindow
  checkImageInput: CheckImageInput
} {
  const cache = new Map<string, { tokens: number; hasImageInput: boolean; until: number }>()
  const lookUp = async (model: string, signal: AbortSignal) => {
    const cached = cache.get(model)
    if (cached && now() < cached.until) return cached
    const entry = await fetchEntry(baseUrl(), apiKey, model, signal).catch(() => undefined)
    const tokens = Math.min(
      entry?.tokens ?? cached?.tokens ?? maxTokens ?? assumedTokens,
      maxTokens ?? Number.POSITIVE_INFINITY,
    )
    const until = now() + (entry?.tokens === undefined ? refreshMs.unknownMs : refreshMs.knownMs)
    const updated = { tokens, hasImageInput: entry?.hasImageInput ?? cached?.hasImageInput ?? false, until }
    // A look-up that the caller aborted says nothing about the catalogue.
    if (entry || !signal.aborted) cache.set(model, updated)
    return updated
  }
  return {
    findContextWindow: async (model, signal) => (await lookUp(model, signal)).tokens,
    checkImageInput: async (model, signal) => (await lookUp(model, signal)).hasImageInput,
  }
}

/** Returns the same window for every model. */
export const createFixedWindow =
  (maxTokens: number | undefined): FindContextWindow =>
  async () =>
    maxTokens ?? assumedTokens

/** Fetches a model's entry; undefined if the service answers with an error. */
async function fetchEntry(baseUrl: string, apiKey: string | undefined, name: string, signal: AbortSignal) {
  const path = modelPath(name)
  if (path === undefined) return undefined
  const headers = apiKey ? { authorization: `Bearer ${apiKey}` } : undefined
  const timeoutSignal = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
  const response = await fetch(`${baseUrl.replace(/\/+$/, '')}/model/${path}`, {
    headers,
    signal: timeoutSignal,
  })
  const body = await readBodyText(response, maxBytes)
  if (!response.ok) return undefined
  const data = JSON.parse(body)?.data
  const length: unknown = data?.context_length
  const tokens = typeof length === 'number' && Number.isFinite(length) && length > 0 ? Math.floor(length) : undefined
  const kinds: unknown = data?.architecture?.input_modalities
  return { tokens, hasImageInput: Array.isArray(kinds) && kinds.includes('image') }
}

/** Returns the model's name without an appended preset; undefined if the name is only a preset. */
function modelPath(name: string): string | undefined {
  const [author, slug, ...extraParts] = (name.split('@preset/')[0] ?? '').split('/')
  return author && slug && extraParts.length === 0
    ? `${encodeURIComponent(author)}/${encodeURIComponent(slug)}`
    : undefined
}
