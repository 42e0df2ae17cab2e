import type { CatalogueData, Model, Provider } from './model.ts'

/** The catalogue made ready for questions. Immutable: a reload makes another and swaps it in whole. */
export type Snapshot = {
  /** In default order: newest first, then by id. */
  models: readonly Model[]
  providers: readonly Provider[]
  /** By id (`author/slug`, `author/slug:variant`), canonical slug or alias. */
  findModel: (name: string) => Model | undefined
  /** By slug, or by display name without regard to case. */
  findProvider: (slugOrName: string) => Provider | undefined
}

export function compileSnapshot(data: CatalogueData): Snapshot {
  const models = data.models.toSorted((a, b) => b.created - a.created || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0))
  const modelByName = namesOf(models)
  const providerByName = new Map<string, Provider>()
  for (const provider of data.providers) providerByName.set(provider.name.toLowerCase(), provider)
  for (const provider of data.providers) providerByName.set(provider.slug, provider)
  return {
    models,
    providers: data.providers,
    findModel: (name) => modelByName.get(name),
    findProvider: (name) => providerByName.get(name) ?? providerByName.get(name.toLowerCase()),
  }
}

/** Ids win over canonical slugs, and those over aliases, so that no alias can hide a model. */
function namesOf(models: readonly Model[]): Map<string, Model> {
  const byName = new Map<string, Model>()
  const add = (name: string, model: Model) => byName.has(name) || byName.set(name, model)
  for (const model of models) add(model.id, model)
  for (const model of models) add(model.canonicalSlug, model)
  for (const model of models) for (const alias of model.aliases) add(alias, model)
  return byName
}
