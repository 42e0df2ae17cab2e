import type { Now } from '#platform/core/clock.ts'
import { bodyText } from '#platform/text/body-text.ts'

/** How many tokens a model can see at once. */
export type WindowOf = (model: string, signal: AbortSignal) => Promise<number>

/** Whether a model takes images. */
export type SeesImages = (model: string, signal: AbortSignal) => Promise<boolean>

/** What is assumed where nobody tells. */
const usualTokens = 128_000
const askAgain = { knownMs: 600_000, unknownMs: 60_000 }
const patienceMs = 5000
const maxBytes = 4 * 1024 * 1024

type CatalogueOptions = {
  /** Asked for each request. */
  baseUrl: () => string
  apiKey: string | undefined
  /** Of an operator who knows better. */
  most: number | undefined
  now: Now
}

/**
 * The window of a model by the catalogue of the service that serves it. A catalogue may change while an agent runs, so it
 * is asked again from time to time; a service that has none costs one request a minute at the most. Where nobody tells
 * whether it takes images, it takes none.
 */
export function catalogueWindow({ baseUrl, apiKey, most, now }: CatalogueOptions): {
  windowOf: WindowOf
  seesImages: SeesImages
} {
  const known = new Map<string, { tokens: number; images: boolean; until: number }>()
  const about = async (model: string, signal: AbortSignal) => {
    const before = known.get(model)
    if (before && now() < before.until) return before
    const told = await ask(baseUrl(), apiKey, model, signal).catch(() => undefined)
    const tokens = Math.min(told?.tokens ?? before?.tokens ?? most ?? usualTokens, most ?? Number.POSITIVE_INFINITY)
    const until = now() + (told?.tokens === undefined ? askAgain.unknownMs : askAgain.knownMs)
    const found = { tokens, images: told?.images ?? before?.images ?? false, until }
    known.set(model, found)
    return found
  }
  return {
    windowOf: async (model, signal) => (await about(model, signal)).tokens,
    seesImages: async (model, signal) => (await about(model, signal)).images,
  }
}

/** The same for every model. */
export const fixedWindow =
  (most: number | undefined): WindowOf =>
  async () =>
    most ?? usualTokens

async function ask(baseUrl: string, apiKey: string | undefined, name: string, signal: AbortSignal) {
  const path = pathOf(name)
  if (path === undefined) return undefined
  const headers = apiKey ? { authorization: `Bearer ${apiKey}` } : undefined
  const within = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)])
  const answer = await fetch(`${baseUrl.replace(/\/+$/, '')}/model/${path}`, {
    ...(headers && { headers }),
    signal: within,
  })
  const body = await bodyText(answer, maxBytes)
  const told = answer.ok ? JSON.parse(body)?.data : undefined
  const length: unknown = told?.context_length
  const tokens = typeof length === 'number' && Number.isFinite(length) && length > 0 ? Math.floor(length) : undefined
  const kinds: unknown = told?.architecture?.input_modalities
  return { tokens, images: Array.isArray(kinds) && kinds.includes('image') }
}

/** A preset behind a model's name is not part of it; one by itself names no model. */
function pathOf(name: string): string | undefined {
  const [author, slug, ...rest] = (name.split('@preset/')[0] ?? '').split('/')
  return author && slug && rest.length === 0 ? `${encodeURIComponent(author)}/${encodeURIComponent(slug)}` : undefined
}
