import { findFirstPartyAuthor, isFirstParty } from './authors.ts'
import { type ParsedName, parseName } from './name.ts'
import { namesAgree } from './names-agree.ts'
import type { SourceModel, SourceProvider } from './source.ts'
import type { UpstreamApi } from './upstream-api.ts'

/** One provider's entry for one model, with the parsed name of the model. */
export type Row = ParsedName & {
  provider: SourceProvider
  model: SourceModel
  api: UpstreamApi
  /** Whether the provider's other entries use the same API. */
  isDefaultApi: boolean
  /** Whether `base_model` names the model and the entry's own name does not contradict it. */
  hasMatchingBase: boolean
  /** Whether the model's maker serves it here. */
  isServedByAuthor: boolean
}

/**
 * Converts an entry to a row, which identifies the model. If the entry has a `base_model` that agrees with its name, the base model
 * identifies the model. Otherwise the name does.
 */
export function toRow(provider: SourceProvider, model: SourceModel, api: UpstreamApi, isDefaultApi = true): Row {
  const name = withFreeVariant(parseName(model.id), model)
  const base = model.base_model === undefined ? undefined : parseCached(model.base_model)
  const hasMatchingBase = base?.author !== undefined && namesAgree(name.slug, base.slug)
  const identity = hasMatchingBase ? { author: base.author, slug: base.slug, key: base.key, date: base.date } : {}
  const author = (hasMatchingBase ? base.author : name.author) ?? findFirstPartyAuthor(provider.id, name.slug)
  return {
    ...name,
    ...identity,
    author,
    provider,
    model,
    api,
    isDefaultApi,
    hasMatchingBase,
    isServedByAuthor: author !== undefined && isFirstParty(provider.id, author),
  }
}

/** Caches parsed names, because all entries have only a few hundred base models. */
const parsedBaseNames = new Map<string, ParsedName>()

function parseCached(name: string): ParsedName {
  const result = parsedBaseNames.get(name) ?? parseName(name)
  parsedBaseNames.set(name, result)
  return result
}

/** A name that ends with `-free` is the free variant if its price is 0. */
function withFreeVariant(name: ParsedName, { id, cost }: SourceModel): ParsedName {
  if (!/-free$/i.test(id) || name.variant || !cost || cost.input > 0 || cost.output > 0) return name
  return { ...parseName(id.replace(/-free$/i, '')), variant: 'free' }
}
