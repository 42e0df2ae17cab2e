import { type Figures, noFigures } from '#measure/figures.ts'
import { type Columns, columnsOf } from './columns.ts'
import { encodeItems, type Items } from './items.ts'
import type { CatalogueData, Model, Provider } from './model.ts'
import { fixedOrders, measuredOrders, type Orders } from './orders.ts'

/** The catalogue made ready for questions. Immutable: a reload makes another and swaps it in whole. */
export type Snapshot = {
  /** In default order: newest first, then by id. */
  models: readonly Model[]
  providers: readonly Provider[]
  /** By id (`author/slug`, `author/slug:variant`), canonical slug or alias. */
  findModel: (name: string) => Model | undefined
  /** By slug, or by display name without regard to case. */
  findProvider: (slugOrName: string) => Provider | undefined
  items: Items
  columns: Columns
  orders: Orders
  figures: Figures
  /** By model, 0 to 1; NaN where nothing was measured. */
  toolSuccess: Float64Array
}

/** A model without endpoints is left out: nobody serves it. */
export function compileSnapshot(data: CatalogueData, figures: Figures = noFigures): Snapshot {
  const models = data.models
    .filter((model) => model.endpoints.length > 0)
    .sort((a, b) => b.created - a.created || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0))
  const modelByName = namesOf(models)
  const providerByName = new Map<string, Provider>()
  for (const provider of data.providers) providerByName.set(provider.name.toLowerCase(), provider)
  for (const provider of data.providers) providerByName.set(provider.slug, provider)
  return {
    models,
    providers: data.providers,
    findModel: (name) => modelByName.get(name),
    findProvider: (name) => providerByName.get(name) ?? providerByName.get(name.toLowerCase()),
    items: encodeItems(models),
    columns: columnsOf(models),
    ...measured(models, figures, fixedOrders(models)),
  }
}

/** The same catalogue with newer measurements: all that does not follow from them is shared. */
export function withFigures(snapshot: Snapshot, figures: Figures): Snapshot {
  return { ...snapshot, ...measured(snapshot.models, figures, snapshot.orders) }
}

function measured(
  models: readonly Model[],
  figures: Figures,
  orders: Orders,
): Pick<Snapshot, 'figures' | 'orders' | 'toolSuccess'> {
  return {
    figures,
    orders: { ...orders, ...measuredOrders(models, figures) },
    toolSuccess: Float64Array.from(models, ({ id }) => figures.model(id).toolSuccess ?? Number.NaN),
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
