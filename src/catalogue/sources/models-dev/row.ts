import { namesAgree } from './agree.ts'
import { firstPartyAuthor, isFirstParty } from './authors.ts'
import { type ParsedName, parseName } from './name.ts'
import type { SourceModel, SourceProvider } from './source.ts'
import type { UpstreamApi } from './upstream-api.ts'

/** One provider's entry for one model, with the model as far as the entry identifies it. */
export type Row = ParsedName & {
  provider: SourceProvider
  model: SourceModel
  api: UpstreamApi
  /** Whether the provider's other entries use the same API. */
  isUsualApi: boolean
  /** Whether `base_model` names the model and the entry's own name does not contradict it. */
  based: boolean
  /** Whether the model's maker serves it here. */
  firstParty: boolean
}

/** Identifies the model of an entry: by its `base_model` unless its name contradicts that, else by its name. */
export function rowOf(provider: SourceProvider, model: SourceModel, api: UpstreamApi, isUsualApi = true): Row {
  const name = withFreeVariant(parseName(model.id), model)
  const base = model.base_model === undefined ? undefined : parseOnce(model.base_model)
  const based = base?.author !== undefined && namesAgree(name.slug, base.slug)
  const identity = based ? { author: base.author, slug: base.slug, key: base.key, day: base.day } : {}
  const author = (based ? base.author : name.author) ?? firstPartyAuthor(provider.id, name.slug)
  const firstParty = author !== undefined && isFirstParty(provider.id, author)
  return { ...name, ...identity, author, provider, model, api, isUsualApi, based, firstParty }
}

/** A cache: all entries have a few hundred base models. */
const parsed = new Map<string, ParsedName>()

function parseOnce(name: string): ParsedName {
  const result = parsed.get(name) ?? parseName(name)
  parsed.set(name, result)
  return result
}

/** A name that ends with `-free` is the free variant if its price is 0. */
function withFreeVariant(name: ParsedName, { id, cost }: SourceModel): ParsedName {
  if (!/-free$/i.test(id) || name.variant || !cost || cost.input > 0 || cost.output > 0) return name
  return { ...parseName(id.replace(/-free$/i, '')), variant: 'free' }
}
