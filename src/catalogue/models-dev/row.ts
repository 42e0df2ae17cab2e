import { namesAgree } from './agree.ts'
import { firstPartyAuthor, isFirstParty } from './authors.ts'
import { type ParsedName, parseName } from './name.ts'
import type { SourceModel, SourceProvider } from './source.ts'
import type { Wire } from './wire.ts'

/** One provider's entry for one model, and which model that is, as far as the entry itself tells. */
export type Row = ParsedName & {
  provider: SourceProvider
  model: SourceModel
  wire: Wire
  /** Whether `base_model` names the model and the entry's own name does not contradict it. */
  based: boolean
  /** Whether the model's maker serves it here. */
  firstParty: boolean
}

/** Reads who and what an entry is about: by its `base_model` unless its name contradicts, else by its name. */
export function rowOf(provider: SourceProvider, model: SourceModel, wire: Wire): Row {
  const name = withFreeVariant(parseName(model.id), model)
  const base = model.base_model === undefined ? undefined : parseName(model.base_model)
  const based = base?.author !== undefined && namesAgree(name.slug, base.slug)
  const identity = based ? { author: base.author, slug: base.slug, key: base.key, day: base.day } : {}
  const author = (based ? base.author : name.author) ?? firstPartyAuthor(provider.id, name.slug)
  const firstParty = author !== undefined && isFirstParty(provider.id, author)
  return { ...name, ...identity, author, provider, model, wire, based, firstParty }
}

/** `-free` behind a name means the free variant when it is free. */
function withFreeVariant(name: ParsedName, { id, cost }: SourceModel): ParsedName {
  if (!/-free$/i.test(id) || name.variant || !cost || cost.input > 0 || cost.output > 0) return name
  return { ...parseName(id.replace(/-free$/i, '')), variant: 'free' }
}
